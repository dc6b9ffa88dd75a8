// What vecc prints.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "process.h"
#include "sample_graphs.h"

namespace vecc::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kSmallOutputs = "sum\t2.5\t1\navg\t1.5\t-\nvector\t[3, 8]\t[3, 7]\n";

class EachBackend : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(VeccOutputs, EachBackend,
                         ::testing::Values("auto", "reference", "interpreter"));

TEST_P(EachBackend, prints_outputs_by_sample_separated_by_tabs) {
  const std::string backend = std::string("--backend=") + GetParam();
  const Finished result = run_vecc({write_small_graph(test_folder()), backend, "--device=cpu"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, kSmallOutputs);
}

TEST_P(EachBackend, reports_stages_and_sizes_on_stderr) {
  const std::string backend = std::string("--backend=") + GetParam();
  const Finished result = run_vecc({write_small_graph(test_folder()), backend, "--device=cpu"});
  EXPECT_THAT(result.err, HasSubstr("import"));
  EXPECT_THAT(result.err, HasSubstr("6 neurons, 5 edges, 4 groups"));
  EXPECT_THAT(result.err, HasSubstr("3 outputs"));
  EXPECT_FALSE(has_control_characters(result.err)) << result.err;
}

TEST_P(EachBackend, quiet_leaves_stderr_empty) {
  const std::string backend = std::string("--backend=") + GetParam();
  const Finished result =
      run_vecc({write_small_graph(test_folder()), backend, "--device=cpu", "--quiet"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, kSmallOutputs);
  EXPECT_EQ(result.err, "");
}

TEST_P(EachBackend, json_has_values_targets_and_shapes) {
  const std::string backend = std::string("--backend=") + GetParam();
  const Finished result =
      run_vecc({write_small_graph(test_folder()), backend, "--device=cpu", "--json"});
  const json object = json::parse(result.out);
  const json expected = json::parse(R"([
      {"sample": "sum", "value": 2.5, "target": 1},
      {"sample": "avg", "value": 1.5, "target": null},
      {"sample": "vector", "value": [3, 8], "target": [3, 7], "shape": [2, 1]}])");
  EXPECT_EQ(object.at("outputs"), expected);
}

TEST(VeccOutputs, groups_are_found_where_the_file_has_one_for_each_neuron) {
  const std::string folder = test_folder();
  const std::string graph = write_ungrouped_graph(folder, 100);
  const std::vector<std::string> words{graph, "--backend=interpreter", "-O0", "--json"};
  const Finished given = run_vecc(words);
  EXPECT_NE(given.err.find("1.0 neurons a group: --group=auto"), std::string::npos) << given.err;
  std::vector<std::string> automatic = words;
  automatic.push_back("--group=auto");
  const Finished found = run_vecc(automatic);
  EXPECT_EQ(found.err.find("--group=auto"), std::string::npos) << found.err;
  const json a = json::parse(given.out);
  const json b = json::parse(found.out);
  EXPECT_EQ(a.at("outputs"), b.at("outputs"));
  EXPECT_EQ(a.at("graph").at("groups"), 300);
  EXPECT_EQ(b.at("graph").at("groups"), 102);  // each fact has a predicate of its own
  EXPECT_EQ(b.at("program").at("layers"), 3);
  const Finished both = run_vecc({graph, "--group=auto", "--save-program=" + folder + "/m.vecc"});
  EXPECT_EQ(both.code, 2);
  EXPECT_NE(both.err.find("leave one of both out"), std::string::npos) << both.err;
}

TEST(VeccOutputs, json_has_stages_sizes_and_timing) {
  const Finished result = run_vecc({write_small_graph(test_folder()), "--backend=interpreter",
                                    "--json", "--repeat=7", "--dtype=f64"});
  const json object = json::parse(result.out);
  std::vector<std::string> stages;
  for (const json& stage : object.at("stages")) {
    stages.push_back(stage.at("name"));
    EXPECT_GE(stage.at("seconds").get<double>(), 0);
  }
  EXPECT_THAT(stages, ::testing::ElementsAre("import", "vectorize", "optimize", "compile", "run"));
  EXPECT_EQ(object.at("graph").at("neurons"), 6);
  EXPECT_EQ(object.at("graph").at("edges"), 5);
  EXPECT_EQ(object.at("graph").at("groups"), 4);
  EXPECT_GT(object.at("graph").at("bytes"), 0);
  EXPECT_GT(object.at("program").at("ops"), 0);
  EXPECT_GT(object.at("program").at("layers"), 0);
  EXPECT_GT(object.at("program").at("rows"), 0);
  EXPECT_EQ(object.at("backend"), "interpreter");
  EXPECT_EQ(object.at("device"), "cpu");
  EXPECT_EQ(object.at("dtype"), "f64");
  EXPECT_EQ(object.at("timing").at("runs"), 7);
  EXPECT_LE(object.at("timing").at("min"), object.at("timing").at("median"));
  EXPECT_LE(object.at("timing").at("median"), object.at("timing").at("p90"));
}

TEST(VeccOutputs, reference_has_no_program) {
  const Finished result =
      run_vecc({write_small_graph(test_folder()), "--backend=reference", "--json"});
  const json object = json::parse(result.out);
  EXPECT_TRUE(object.at("program").is_null());
  EXPECT_EQ(object.at("dtype"), "f64");
}

TEST(VeccOutputs, repeat_prints_a_timing_table) {
  const Finished result =
      run_vecc({write_small_graph(test_folder()), "--backend=reference", "--repeat=3"});
  EXPECT_EQ(result.out, kSmallOutputs);
  EXPECT_THAT(result.err, ::testing::ContainsRegex("runs +median +min +p90"));
}

TEST(VeccOutputs, auto_says_which_backend_and_why) {
  const Finished result = run_vecc({write_small_graph(test_folder()), "--device=cpu"});
  EXPECT_THAT(result.err, ::testing::ContainsRegex("backend [a-z]+ \\((first|next) choice"));
}

TEST(VeccOutputs, not_finite_values_are_text_and_valid_json) {
  const std::string graph = write_not_finite_graph(test_folder());
  const Finished text = run_vecc({graph, "--backend=reference"});
  EXPECT_EQ(text.out, "nan\tNaN\t-\ninfinity\tInfinity\t-\n");
  EXPECT_THAT(text.err, HasSubstr("warning: 2 of 2 outputs are not finite"));
  const json object = json::parse(run_vecc({graph, "--backend=reference", "--json"}).out);
  EXPECT_EQ(object.at("outputs").at(0).at("value"), "NaN");
  EXPECT_EQ(object.at("outputs").at(1).at("value"), "Infinity");
}

TEST(VeccOutputs, log_level_info_logs_stages_on_stderr) {
  const std::string graph = write_small_graph(test_folder());
  const Finished silent = run_vecc({graph, "--backend=reference"});
  EXPECT_THAT(silent.err, Not(HasSubstr("[info]")));
  const Finished logged = run_vecc({graph, "--backend=reference", "--log-level=info"});
  EXPECT_EQ(logged.out, kSmallOutputs);
  EXPECT_THAT(logged.err, HasSubstr("[info] import: "));
}

TEST(VeccOutputs, emit_runs_nothing_unless_asked) {
  const std::string folder = test_folder();
  const std::string graph = write_small_graph(folder);
  const Finished emitted = run_vecc({graph, "--emit=stats"});
  EXPECT_EQ(emitted.code, 0) << emitted.err;
  EXPECT_THAT(emitted.err, Not(::testing::ContainsRegex("run +[0-9]")));
  const Finished both =
      run_vecc({graph, "--emit=ir", "-o", folder + "/p.vecc", "--run", "--backend=interpreter"});
  EXPECT_EQ(both.out, kSmallOutputs);
  EXPECT_THAT(read_text(folder + "/p.vecc"),
              ::testing::MatchesRegex("vecc program 1 crc32 [0-9a-f]+ f32 samples 3\n(.|\n)*"));
}

TEST(VeccOutputs, emit_dot_and_stats) {
  const std::string graph = write_small_graph(test_folder());
  EXPECT_THAT(run_vecc({graph, "--emit=dot"}).out, ::testing::StartsWith("digraph"));
  EXPECT_THAT(run_vecc({graph, "--emit=stats"}).out, HasSubstr("graph.neurons"));
  const json stats = json::parse(run_vecc({graph, "--emit=stats", "--json"}).out);
  EXPECT_EQ(stats.at("graph").at("neurons"), 6);
  EXPECT_EQ(stats.at("program").at("samples"), 3);
  EXPECT_GE(stats.at("program").at("ops_by_kind").at("output"), 1);
}

TEST(VeccOutputs, help_ends_with_examples_and_version_is_one_line) {
  const Finished help = run_vecc({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_EQ(help.err, "");
  EXPECT_LT(help.out.find("--max-neurons"), help.out.find("Examples:"));
  const Finished version = run_vecc({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.out, ::testing::MatchesRegex("vecc [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

}  // namespace
}  // namespace vecc::test
