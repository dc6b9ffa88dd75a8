// --gradients and --init of vecc.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "process.h"
#include "sample_graphs.h"

namespace vecc::test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Finished run_with_gradients(const std::string& graph, const std::string& path,
                            std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {graph, "--backend=reference", "--gradients=" + path};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_vecc(arguments);
}

TEST(VeccGradients, are_lines_of_table_row_and_values) {
  const std::string folder = test_folder();
  const std::string graph = write_small_graph(folder);
  const Finished result = run_with_gradients(graph, folder + "/g.tsv");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("vector\t[3, 8]\t[3, 7]\n"));
  EXPECT_THAT(result.err, HasSubstr("of 2 learnable weights"));
  // half: its fact, 1; matrix: the sum of both entries of matrix * (3, 4)
  EXPECT_EQ(read_text(folder + "/g.tsv"), "half\t0\t1\nmatrix\t0\t3 4 3 4\n");
  EXPECT_THAT(list_folder(folder), ElementsAre("g.tsv", "small.pb"));
}

TEST(VeccGradients, are_a_stage_in_json) {
  const std::string folder = test_folder();
  const std::string graph = write_small_graph(folder);
  const json object = json::parse(run_with_gradients(graph, folder + "/g.tsv", {"--json"}).out);
  EXPECT_EQ(object.at("stages").back().at("name"), "gradients");
  EXPECT_EQ(object.at("stages").back().at("weights"), 2);
}

TEST(VeccGradients, have_17_digits_and_rows_of_tables) {
  const std::string folder = test_folder();
  const std::string graph = write_thirds_graph(folder);
  EXPECT_EQ(run_with_gradients(graph, folder + "/g.tsv").code, 0);
  EXPECT_EQ(read_text(folder + "/g.tsv"),
            "table\t0\t0.33333333333333331\ntable\t1\t0\ntable\t2\tInfinity\n");
}

TEST(VeccGradients, hostile_names_are_escaped) {
  const std::string folder = test_folder();
  const std::string graph = write_hostile_graph(folder);
  EXPECT_EQ(run_with_gradients(graph, folder + "/g.tsv").code, 0);
  const std::string text = read_text(folder + "/g.tsv");
  EXPECT_FALSE(has_control_characters(text)) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\t'), 2) << text;
}

TEST(VeccGradients, of_every_backend_and_level) {
  const std::string folder = test_folder();
  const std::string graph = write_small_graph(folder);
  for (const char* backend : {"--backend=interpreter", "--backend=auto"}) {
    for (const char* level : {"-O0", "-O2"}) {
      const std::string path = folder + "/g.tsv";
      const Finished result = run_vecc({graph, backend, level, "--gradients=" + path});
      EXPECT_EQ(result.code, 0) << result.err;
      EXPECT_THAT(result.err, HasSubstr("of 2 learnable weights"));
      EXPECT_EQ(read_text(path), "half\t0\t1\nmatrix\t0\t3 4 3 4\n") << backend << level;
    }
  }
}

TEST(VeccGradients, of_rows_that_nothing_reads_are_zeros) {
  const std::string folder = test_folder();
  const std::string graph = write_thirds_graph(folder);
  const std::string path = folder + "/g.tsv";
  const Finished result =
      run_vecc({graph, "--backend=interpreter", "--dtype=f64", "--gradients=" + path});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(read_text(path), "table\t0\t0.33333333333333331\ntable\t1\t0\ntable\t2\tInfinity\n");
}

TEST(VeccGradients, bad_usage) {
  const std::string folder = test_folder();
  const std::string graph = write_small_graph(folder);
  const std::string path = folder + "/g.tsv";
  const Finished emit = run_with_gradients(graph, path, {"--emit=ir"});
  EXPECT_EQ(emit.code, 2);
  EXPECT_THAT(emit.err, HasSubstr("--gradients needs --run beside --emit"));
  const Finished same = run_with_gradients(graph, path, {"-o", path});
  EXPECT_EQ(same.code, 2);
  EXPECT_THAT(same.err, HasSubstr("-o " + path + " and --gradients=" + path + " name one file"));
  EXPECT_THAT(list_folder(folder), ElementsAre("small.pb"));
}

TEST(VeccGradients, that_cannot_be_written_are_an_error) {
  const std::string folder = test_folder();
  const std::string graph = write_small_graph(folder);
  for (const std::string& path : {folder + "/missing/g.tsv", folder, std::string("/dev/full")}) {
    const Finished result = run_with_gradients(graph, path);
    EXPECT_EQ(result.code, 3) << path;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("[E051]")) << path;
  }
  EXPECT_THAT(list_folder(folder), ElementsAre("small.pb"));
}

class InitEachBackend : public ::testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] std::string backend() const { return std::string("--backend=") + GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(VeccInit, InitEachBackend, ::testing::Values("reference", "interpreter"));

TEST_P(InitEachBackend, without_it_open_weights_are_an_error_with_the_way_out) {
  const Finished result = run_vecc({write_open_graph(test_folder()), backend()});
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("has no values; --init=glorot gives it some [E023]"));
}

TEST_P(InitEachBackend, fills_open_weights_and_leaves_the_others) {
  const Finished result = run_vecc(
      {write_open_graph(test_folder()), backend(), "--dtype=f64", "--init=constant", "-O0"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "first\t0.1\t-\nboth\t6.3\t-\n");
  EXPECT_THAT(result.err, HasSubstr("2 weights, constant, seed 0"));
}

double first_output(const std::string& graph, std::vector<std::string> more) {
  more.insert(more.begin(), {graph, "--backend=reference", "--json"});
  return json::parse(run_vecc(more).out).at("outputs").at(0).at("value");
}

TEST(VeccInit, draws_by_seed) {
  const std::string graph = write_open_graph(test_folder());
  const double uniform = first_output(graph, {"--init=uniform"});
  EXPECT_EQ(uniform, (0.730967787376657 - 0.5) * 2);  // java.util.Random(0).nextDouble()
  EXPECT_EQ(first_output(graph, {"--init=uniform", "--init-seed=0"}), uniform);
  EXPECT_NE(first_output(graph, {"--init=uniform", "--init-seed=-1"}), uniform);
  for (const char* init : {"--init=normal", "--init=glorot", "--init=he"}) {
    EXPECT_NE(first_output(graph, {init}), uniform) << init;
  }
}

TEST(VeccInit, bad_usage) {
  const std::string graph = write_open_graph(test_folder());
  const auto error = [&](std::vector<std::string> more) {
    more.insert(more.begin(), graph);
    const Finished result = run_vecc(more);
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_THAT(error({"--init=xavier"}), HasSubstr("xavier"));
  EXPECT_THAT(error({"--init"}), HasSubstr("--init"));
  EXPECT_THAT(error({"--init-seed=1"}), HasSubstr("--init-seed requires --init"));
  EXPECT_THAT(error({"--init=he", "--init-seed=1.5"}), HasSubstr("--init-seed"));
  EXPECT_THAT(error({"--init=he", "--init-seed=99999999999999999999"}), HasSubstr("--init-seed"));
}

}  // namespace
}  // namespace vecc::test
