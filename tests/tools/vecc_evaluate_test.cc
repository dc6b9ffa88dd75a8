// The whole story: labelled graphs are imported and trained on, the weights saved; graphs without
// labels are imported, and predicted with them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "process.h"
#include "vecc/graph_io.h"

namespace vecc::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::vector<std::string>> rows_of(const std::string& text, char separator) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, separator);) rows.back().push_back(cell);
  }
  return rows;
}

// Sets of small graphs in TUDataset text: rings of 3, 4, 5 ... nodes, whose label is the class.
class Story : public testing::Test {
 protected:
  void SetUp() override { folder_ = test_folder(); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }

  // `labels`: of the classes; empty: no label file.
  void write_rings(const std::string& name, const std::vector<std::string>& labels,
                   unsigned classes) const {
    std::filesystem::create_directory(path(name));
    std::string edges, indicator, graph_labels, node_labels;
    unsigned node = 0;
    for (unsigned g = 0; g < 8 * classes; ++g) {
      const unsigned size = 6;
      for (unsigned i = 0; i < size; ++i) {
        const unsigned next = node + 1 + (i + 1) % size;
        edges += fmt::format("{0}, {1}\n{1}, {0}\n", node + 1 + i, next);
        indicator += fmt::format("{}\n", g + 1);
        node_labels += fmt::format("{}\n", i < 3 ? g % classes : (g + i) % classes);
      }
      node += size;
      if (!labels.empty()) graph_labels += labels[g % classes] + "\n";
    }
    const std::string start = path(name) + "/" + name;
    write_text(start + "_A.txt", edges);
    write_text(start + "_graph_indicator.txt", indicator);
    write_text(start + "_node_labels.txt", node_labels);
    if (!labels.empty()) write_text(start + "_graph_labels.txt", graph_labels);
  }

  void import(const std::string& name, std::vector<std::string> options = {}) const {
    options.insert(options.begin(),
                   {"tu", path(name), "--model=gcn", "--dim=6", "-q", "-o", path(name + ".pb")});
    const Finished result = run_tool("vecc-import", options);
    ASSERT_EQ(result.code, 0) << result.err;
  }

  [[nodiscard]] Finished train(const std::string& name,
                               std::vector<std::string> options = {}) const {
    options.insert(options.begin(),
                   {path(name + ".pb"), "--train", "--backend=interpreter", "--dtype=f64",
                    "--epochs=150", "--lr=0.05", "--save-weights=" + weights()});
    return run_vecc(std::move(options));
  }

  [[nodiscard]] std::string weights() const { return path("w.safetensors"); }

  [[nodiscard]] Finished ask(const std::string& command, const std::string& name,
                             std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {command, path(name + ".pb"), "--load-weights=" + weights(),
                                     "--backend=interpreter", "--dtype=f64"});
    return run_vecc(std::move(options));
  }

  [[nodiscard]] json ask_json(const std::string& command, const std::string& name,
                              const std::vector<std::string>& options) const {
    const Finished result = ask(command, name, options);
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out);
  }

  std::string folder_;
};

TEST_F(Story, three_classes_are_learned_and_predicted_without_labels) {
  write_rings("known", {"10", "20", "30"}, 3);
  write_rings("new", {}, 3);
  import("known");
  import("new", {"--classes=3"});
  const Finished trained = train("known");
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.err, HasSubstr("softentropy of softmax outputs"));

  const json evaluated = ask_json("evaluate", "known", {"--json"});
  EXPECT_EQ(evaluated.at("samples"), 24);
  EXPECT_EQ(evaluated.at("loss_function"), "softentropy");
  EXPECT_EQ(evaluated.at("output_function"), "softmax");
  EXPECT_GE(evaluated.at("metrics").at("accuracy").get<double>(), 0.9);
  EXPECT_GE(evaluated.at("metrics").at("f1_macro").get<double>(), 0.9);
  EXPECT_FALSE(evaluated.at("metrics").contains("mae"));

  const json known = ask_json("predict", "known", {"--format=json"});
  EXPECT_EQ(known.at("classes"), json({"10", "20", "30"}));
  const json found = ask_json("predict", "new", {"--format=json"});
  ASSERT_EQ(found.at("predictions").size(), 24u);
  double right = 0;
  double loss = 0;
  for (std::size_t g = 0; g < 24; ++g) {
    const json& sample = found.at("predictions")[g];
    const auto probabilities = sample.at("probabilities").get<std::vector<double>>();
    ASSERT_EQ(probabilities.size(), 3u);
    EXPECT_NEAR(probabilities[0] + probabilities[1] + probabilities[2], 1, 1e-12);
    EXPECT_EQ(sample.at("probabilities"), known.at("predictions")[g].at("probabilities"));
    loss -= std::log(probabilities[g % 3]) / 24;
    right += known.at("predictions")[g].at("class") == std::to_string(10 * (g % 3 + 1)) ? 1 : 0;
  }
  EXPECT_NEAR(evaluated.at("metrics").at("loss").get<double>(), loss, 1e-9);
  EXPECT_NEAR(evaluated.at("metrics").at("accuracy").get<double>(), right / 24, 1e-12);
}

TEST_F(Story, two_classes_have_two_probabilities) {
  write_rings("known", {"0", "1"}, 2);
  write_rings("new", {}, 2);
  import("known");
  import("new");
  const Finished trained = train("known");
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.err, HasSubstr("crossentropy of sigmoid outputs"));
  const Finished tsv = ask("predict", "new", {"-q"});
  ASSERT_EQ(tsv.code, 0) << tsv.err;
  const auto rows = rows_of(tsv.out, '\t');
  ASSERT_EQ(rows.size(), 17u);
  EXPECT_THAT(rows[0], testing::ElementsAre("sample", "class", "p(0)", "p(1)"));
  for (std::size_t i = 1; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), 4u);
    EXPECT_EQ(rows[i][0], "graph_" + std::to_string(i));
    const double zero = std::stod(rows[i][2]);
    const double one = std::stod(rows[i][3]);
    EXPECT_NEAR(zero + one, 1, 1e-12);
    EXPECT_EQ(rows[i][1], one > 0.5 ? "1" : "0");
  }
  // The same in a file, as CSV.
  const Finished csv = ask("predict", "new", {"-q", "--format=csv", "-o", path("new.csv")});
  ASSERT_EQ(csv.code, 0) << csv.err;
  EXPECT_EQ(csv.out, "");
  EXPECT_EQ(rows_of(read_text(path("new.csv")), ','), rows);
  const Finished text = ask("evaluate", "known", {"-q"});
  EXPECT_THAT(text.out, HasSubstr("samples\t16\nloss\t"));
  EXPECT_THAT(text.out, HasSubstr("\naccuracy\t"));
}

TEST_F(Story, samples_without_targets_cannot_be_evaluated) {
  write_rings("new", {}, 2);
  import("new");
  ASSERT_EQ(run_vecc({path("new.pb"), "--save-weights=" + weights(), "-q"}).code, 0);
  const Finished result = ask("evaluate", "new");
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err, HasSubstr("none of 16 samples has a target to compare with; vecc predict "
                                    "prints what they are predicted as"));
}

// Sigmoids of more than two classes, as older graphs have them: each counts, none drifts to 1.
TEST_F(Story, independent_sigmoids_do_not_drift) {
  write_rings("known", {"10", "20", "30"}, 3);
  import("known", {"--output-function=sigmoid"});
  const Finished trained = train("known");
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.err, HasSubstr("binary_crossentropy of sigmoid outputs"));
  const json evaluated = ask_json("evaluate", "known", {"--json"});
  EXPECT_GE(evaluated.at("metrics").at("accuracy").get<double>(), 0.9);
  const json found = ask_json("predict", "known", {"--format=json"});
  for (const json& sample : found.at("predictions")) {
    double sum = 0;
    for (const json& p : sample.at("probabilities")) sum += p.get<double>();
    EXPECT_LT(sum, 2);
  }
  const Finished asked = train("known", {"--loss=crossentropy"});
  EXPECT_EQ(asked.code, 0) << asked.err;
  EXPECT_THAT(asked.err, HasSubstr("--loss=binary_crossentropy counts the other classes too"));
}

TEST_F(Story, numbers_are_no_classes) {
  write_rings("known", {"0", "1"}, 2);
  import("known", {"--output-function=identity"});
  NeuronGraph graph = read_graph(path("known.pb")).value();
  for (std::size_t i = 0; i < graph.target_values.size(); ++i) {
    graph.target_values[i] = 2.5 * graph.target_values[i] + 0.1 * static_cast<double>(i % 3);
  }
  graph.vocabularies.clear();
  for (std::size_t s = 0; s < graph.samples.size(); ++s) {
    graph.samples[s].split = s % 4 == 0 ? Split::Test : Split::Train;
  }
  ASSERT_TRUE(write_graph(graph, path("known.pb"), Compression::None));
  const Finished trained = train("known", {"--log=csv:" + path("log.csv")});
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.err, HasSubstr("squared_diff of raw outputs"));
  EXPECT_THAT(trained.err, HasSubstr("rmse"));
  EXPECT_THAT(trained.err, Not(HasSubstr("accuracy")));
  const json evaluated = ask_json("evaluate", "known", {"--json"});
  EXPECT_EQ(evaluated.at("split"), "test");
  EXPECT_EQ(evaluated.at("samples"), 4);
  const json& metrics = evaluated.at("metrics");
  EXPECT_FALSE(metrics.contains("accuracy"));
  const Finished predicted = ask("predict", "known", {"-q", "--split=test"});
  const auto rows = rows_of(predicted.out, '\t');
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_THAT(rows[0], testing::ElementsAre("sample", "value"));
  double absolute = 0;
  double squared = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const double error = std::stod(rows[i + 1][1]) - graph.target_values[4 * i];
    absolute += std::abs(error) / 4;
    squared += error * error / 4;
  }
  EXPECT_NEAR(metrics.at("mae").get<double>(), absolute, 1e-9);
  EXPECT_NEAR(metrics.at("rmse").get<double>(), std::sqrt(squared), 1e-9);
  EXPECT_NEAR(metrics.at("loss").get<double>(), squared, 1e-9);
  EXPECT_LT(metrics.at("r2").get<double>(), 1);
  const std::string log = read_text(path("log.csv"));
  EXPECT_THAT(log.substr(0, log.find('\n')), HasSubstr("train_mae,train_rmse,train_r2"));
}

TEST_F(Story, what_cannot_be_is_refused_before_work) {
  write_rings("known", {"0", "1"}, 2);
  import("known");
  ASSERT_EQ(run_vecc({path("known.pb"), "--save-weights=" + weights(), "-q"}).code, 0);
  const Finished split = ask("evaluate", "known", {"--split=test"});
  EXPECT_EQ(split.code, 3);
  EXPECT_THAT(split.err, HasSubstr("--split=test: error: the graph marks no sample so; --split=all "
                                   "takes every one"));
  const Finished reference = run_vecc({"predict", path("known.pb"), "--backend=reference"});
  EXPECT_EQ(reference.code, 2);
  EXPECT_THAT(reference.err, HasSubstr("--backend=interpreter computes in f64 as it does"));
  const Finished misspelt = run_vecc({"predct", path("known.pb")});
  EXPECT_EQ(misspelt.code, 2);
  EXPECT_THAT(misspelt.err, HasSubstr("did you mean vecc predict?"));
  const Finished classes = run_tool(
      "vecc-import", {"tu", path("known"), "--model=gcn", "--classes=5", "-o", path("x.pb")});
  EXPECT_EQ(classes.code, 2);
  EXPECT_THAT(classes.err, HasSubstr("--classes=5: the data has labels, of 2 classes"));
  EXPECT_EQ(run_tool("vecc-import", {"tu", path("known"), "--model=gcn", "--init=none", "-q", "-o",
                                     path("open.pb")})
                .code,
            0);
  const Finished open = run_vecc({"predict", path("open.pb")});
  EXPECT_EQ(open.code, 3);
  EXPECT_THAT(open.err, HasSubstr("--load-weights=FILE gives them"));
}

}  // namespace
}  // namespace vecc::test
