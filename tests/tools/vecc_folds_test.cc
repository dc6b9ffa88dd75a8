// vecc --train --folds: what each training predicts for the samples that it did not see.
#include <gmock/gmock.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "process.h"
#include "vecc/graph_io.h"

namespace vecc::test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class VeccFolds : public testing::Test {
 protected:
  static Finished train(const std::string& graph, std::vector<std::string> more) {
    more.insert(more.begin(), {graph, "--train", "--backend=interpreter", "--epochs=20"});
    return run_vecc(std::move(more));
  }
  static json outputs_of(const Finished& result) {
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out).at("outputs");
  }
  // The graph with marks on some of its samples, by place.
  [[nodiscard]] std::string marked(const std::map<std::size_t, Split>& marks) const {
    Result<NeuronGraph> graph = read_graph(xor_);
    EXPECT_TRUE(graph) << graph.error().text();
    for (const auto& [sample, split] : marks) graph->samples[sample].split = split;
    const std::string path = folder_ + "/marked.pb";
    const Result<void> written = write_graph(*graph, path, Compression::None);
    EXPECT_TRUE(written) << written.error().text();
    return path;
  }

  const std::string folder_ = test_folder();
  const std::string xor_ = std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/xor.pb";
};

TEST_F(VeccFolds, outputs_are_those_of_a_training_on_the_other_folds) {
  const json found = outputs_of(train(xor_, {"--folds=3", "--json"}));
  for (int fold = 1; fold <= 3; ++fold) {
    std::map<std::size_t, Split> marks;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i].at("fold") == fold) marks[i] = Split::Validation;
    }
    ASSERT_FALSE(marks.empty()) << fold;
    const json expected = outputs_of(train(marked(marks), {"--json"}));
    for (const auto& [i, split] : marks) EXPECT_EQ(found[i].at("value"), expected[i].at("value"));
  }
}

TEST_F(VeccFolds, every_sample_comes_once_in_its_order_with_its_fold) {
  const json outputs = outputs_of(train(xor_, {"--folds=4", "--json"}));
  std::vector<std::string> samples;
  std::vector<int> folds;
  for (const json& output : outputs) {
    samples.push_back(output.at("sample"));
    folds.push_back(output.at("fold"));
  }
  EXPECT_THAT(samples, ElementsAre("s_0:xor", "s_1:xor", "s_2:xor", "s_3:xor"));
  EXPECT_THAT(folds, testing::UnorderedElementsAre(1, 2, 3, 4));
}

TEST_F(VeccFolds, the_fold_is_the_last_column) {
  const json outputs = outputs_of(train(xor_, {"--folds=2", "--json"}));
  const Finished text = train(xor_, {"--folds=2"});
  std::string expected;
  for (const json& output : outputs) {
    expected += ".*\t" + std::to_string(output.at("fold").get<int>()) + "\n";
  }
  EXPECT_THAT(text.out, testing::MatchesRegex(expected));
  EXPECT_THAT(text.out, testing::StartsWith("s_0:xor\t"));
}

TEST_F(VeccFolds, samples_for_tests_are_left_out) {
  const std::string graph = marked({{1, Split::Test}});
  const json outputs = outputs_of(train(graph, {"--folds=3", "--json"}));
  ASSERT_EQ(outputs.size(), 3u);
  EXPECT_EQ(outputs[1].at("sample"), "s_2:xor");
  EXPECT_THAT(train(graph, {"--folds=3"}).out, testing::Not(HasSubstr("s_1:xor")));
}

TEST_F(VeccFolds, the_report_has_a_number_of_each) {
  const Finished result = train(xor_, {"--folds=4", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json report = json::parse(result.out);
  const json folds = report.at("stages").back();
  EXPECT_EQ(folds.at("name"), "folds");
  ASSERT_EQ(folds.at("loss").size(), 4u);
  ASSERT_EQ(folds.at("accuracy").size(), 4u);
  for (const json& output : report.at("outputs")) {
    const double error = output.at("value").get<double>() - output.at("target").get<double>();
    const double loss = folds.at("loss").at(output.at("fold").get<std::size_t>() - 1);
    EXPECT_NEAR(loss, error * error, 1e-6);  // one sample a fold
  }
}

// AUROC needs both classes: of folds of 1, 1 and 2 samples, only the last can have it.
TEST_F(VeccFolds, a_metric_that_a_fold_does_not_have_is_null) {
  for (int seed = 0; seed < 20; ++seed) {
    const Finished result = train(xor_, {"--folds=3", "--json", "--seed=" + std::to_string(seed)});
    ASSERT_EQ(result.code, 0) << result.err;
    const json folds = json::parse(result.out).at("stages").back();
    if (!folds.contains("auroc")) continue;  // two samples of one class
    const json& auroc = folds.at("auroc");
    ASSERT_EQ(auroc.size(), 3u);
    EXPECT_TRUE(auroc[0].is_null() && auroc[1].is_null());
    EXPECT_TRUE(auroc[2].is_number());
    return;
  }
  FAIL() << "no seed puts both classes into one fold";
}

TEST_F(VeccFolds, weights_are_saved_once_a_fold) {
  const std::string path = folder_ + "/w.safetensors";
  const json found = outputs_of(train(xor_, {"--folds=2", "--json", "--save-weights=" + path}));
  EXPECT_THAT(list_folder(folder_), ElementsAre("w.fold1.safetensors", "w.fold2.safetensors"));
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::string name = "/w.fold" + std::to_string(found[i].at("fold").get<int>());
    const json expected =
        outputs_of(run_vecc({xor_, "--backend=interpreter", "--json",
                             "--load-weights=" + folder_ + name + ".safetensors"}));
    EXPECT_EQ(found[i].at("value"), expected[i].at("value"));
  }
}

TEST_F(VeccFolds, weights_that_cannot_be_written_are_known_before_training) {
  const Finished result = run_vecc({xor_, "--train", "--backend=interpreter", "--folds=2",
                                    "--epochs=1000000000", "--save-weights=/proc/w.st"});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err, HasSubstr("/proc/w.fold1.st"));
}

TEST_F(VeccFolds, there_is_no_one_program_to_emit_or_measure) {
  for (const char* option :
       {"--emit=ir", "--gradients=g.tsv", "--repeat=3", "--save-program=m.vecc"}) {
    const Finished result = train(xor_, {"--folds=2", option});
    EXPECT_EQ(result.code, 2) << option;
    EXPECT_THAT(result.err,
                HasSubstr("leave out --emit, --gradients, --repeat and --save-program"));
  }
}

}  // namespace
}  // namespace vecc::test
