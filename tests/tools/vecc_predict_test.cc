// Learned on one file, used on another of the same template: every fifth molecule of mutagenesis is
// only in the second.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "process.h"
#include "tests/support/graph_subset.h"
#include "vecc/graph_io.h"

namespace vecc::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

struct Prediction {
  double output = 0;
  double target = 0;
};
using Predictions = std::map<std::string, Prediction>;  // by sample id

std::string whole_path() {
  return std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/mutagenesis.pb";
}

class Predict : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = test_folder();
    const NeuronGraph whole = read_graph(whole_path()).value();
    std::vector<std::uint32_t> first, second;
    for (std::uint32_t s = 0; s < whole.samples.size(); ++s) {
      (s % 5 == 0 ? second : first).push_back(s);
    }
    write(whole, first, train_path());
    write(whole, second, test_path());
    const Finished trained =
        train({"--epochs=400", "--lr=0.03", "--validate=" + test_path(),
               "--log=jsonl:" + folder_ + "/log", "--save-weights=" + weights_path()});
    ASSERT_EQ(trained.code, 0) << trained.err;
  }

  static void write(const NeuronGraph& whole, const std::vector<std::uint32_t>& samples,
                    const std::string& path) {
    ASSERT_TRUE(write_graph(graph_of_samples(whole, samples), path, Compression::None));
  }
  static std::string train_path() { return folder_ + "/train.pb"; }
  static std::string test_path() { return folder_ + "/test.pb"; }
  static std::string weights_path() { return folder_ + "/w.safetensors"; }

  static Finished train(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {train_path(), "--train", "--backend=interpreter",
                                         "--dtype=f64", "--loss=squared_diff"});
    return run_vecc(std::move(arguments));
  }

  // With the learned weights.
  static Predictions predict(const std::string& path) {
    const Finished result = run_vecc({path, "--backend=interpreter", "--dtype=f64", "--json",
                                      "--load-weights=" + weights_path()});
    EXPECT_EQ(result.code, 0) << result.err;
    Predictions predictions;
    const json outputs = json::parse(result.out).at("outputs");
    for (const json& sample : outputs) {
      predictions[sample.at("sample")] = {sample.at("value"), sample.at("target")};
    }
    EXPECT_EQ(predictions.size(), outputs.size());
    return predictions;
  }

  static double accuracy_of(const Predictions& predictions) {
    const auto right = std::ranges::count_if(predictions, [](const auto& entry) {
      return (entry.second.output > 0.5) == (entry.second.target > 0.5);
    });
    return static_cast<double>(right) / static_cast<double>(predictions.size());
  }

  static inline std::string folder_;
};

TEST_F(Predict, outputs_are_those_of_the_whole_graph) {
  const Predictions whole = predict(whole_path());
  ASSERT_EQ(whole.size(), 188u);
  for (const auto& [path, count] : {std::pair(train_path(), 150u), {test_path(), 38u}}) {
    const Predictions part = predict(path);
    ASSERT_EQ(part.size(), count);
    for (const auto& [id, prediction] : part) {
      ASSERT_TRUE(whole.contains(id)) << id;
      EXPECT_EQ(prediction.target, whole.at(id).target);
      EXPECT_NEAR(prediction.output, whole.at(id).output, 1e-12) << id;
    }
  }
}

TEST_F(Predict, molecules_that_were_not_learned_from_are_told_apart) {
  const Predictions test = predict(test_path());
  const auto positive =
      std::ranges::count_if(test, [](const auto& entry) { return entry.second.target > 0.5; });
  EXPECT_LE(static_cast<double>(positive), 0.7 * static_cast<double>(test.size()));  // majority
  EXPECT_GE(accuracy_of(test), 0.8);  // 36 of 38 were right when this was written
}

TEST_F(Predict, validation_with_the_other_file_has_its_metrics) {
  const std::string log = read_text(folder_ + "/log");
  const std::size_t last = log.rfind('\n', log.size() - 2) + 1;
  const json epoch = json::parse(log.substr(last));
  const Predictions test = predict(test_path());
  double loss = 0;
  for (const auto& [id, p] : test) {
    loss += (p.output - p.target) * (p.output - p.target) / static_cast<double>(test.size());
  }
  EXPECT_NEAR(epoch.at("validation_accuracy").get<double>(), accuracy_of(test), 1e-12);
  EXPECT_NEAR(epoch.at("validation_loss").get<double>(), loss, 1e-12);
  EXPECT_NEAR(epoch.at("train_accuracy").get<double>(), accuracy_of(predict(train_path())), 1e-12);
}

// Which epoch was the best depends on what validated.
TEST_F(Predict, a_checkpoint_goes_on_with_the_samples_that_validated_only) {
  const auto go_on = [](const std::string& validation, const std::string& epochs) {
    return train({"--epochs=" + epochs, "--validate=" + validation,
                  "--checkpoint=" + folder_ + "/run", "--resume"});
  };
  ASSERT_EQ(go_on(test_path(), "2").code, 0);
  const Finished other = go_on(train_path(), "4");
  EXPECT_EQ(other.code, 3);
  EXPECT_THAT(other.err, HasSubstr("other settings: to validate with 38 "));
  EXPECT_THAT(other.err, HasSubstr("; now: to validate with 150 "));
  // The same samples under another name are the same.
  write_text(folder_ + "/renamed.pb", read_text(test_path()));
  const Finished renamed = go_on(folder_ + "/renamed.pb", "4");
  EXPECT_EQ(renamed.code, 0) << renamed.err;
}

// As many samples as before, of the same Program, but with other targets.
TEST_F(Predict, a_checkpoint_of_other_targets_is_refused) {
  const auto go_on = [](const std::string& validation) {
    return train({"--epochs=2", "--validate=" + validation, "--checkpoint=" + folder_ + "/targets",
                  "--resume"});
  };
  ASSERT_EQ(go_on(test_path()).code, 0);
  NeuronGraph graph = read_graph(test_path()).value();
  graph.target_values.front() = 1 - graph.target_values.front();
  ASSERT_TRUE(write_graph(graph, folder_ + "/turned.pb", Compression::None));
  const Finished other = go_on(folder_ + "/turned.pb");
  EXPECT_EQ(other.code, 3);
  EXPECT_THAT(other.err, HasSubstr("other settings: to validate with 38 "));
}

}  // namespace
}  // namespace vecc::test
