// --load-weights and --save-weights of vecc, and trained weights on another graph.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "process.h"
#include "sample_graphs.h"
#include "vecc/graph_io.h"
#include "vecc/weights.h"

namespace vecc::test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Finished run_reference(const std::string& graph, std::vector<std::string> more) {
  more.insert(more.begin(), {graph, "--backend=reference"});
  return run_vecc(more);
}

WeightTensor tensor_of(std::string name, std::vector<std::uint64_t> shape,
                       const std::vector<double>& values) {
  return {std::move(name), ElementType::F64, std::move(shape),
          std::string(reinterpret_cast<const char*>(values.data()), values.size() * 8)};
}

/// A weight file of these tensors; its path.
std::string write_tensors(const std::string& folder, std::vector<WeightTensor> tensors) {
  const std::string path = folder + "/w.safetensors";
  const auto written = write_weights({{}, std::move(tensors)}, path);
  EXPECT_TRUE(written) << written.error().text();
  return path;
}

TEST(WeightFiles, saves_what_the_graph_has) {
  const std::string folder = test_folder();
  const std::string path = folder + "/w.safetensors";
  const Finished result = run_reference(write_small_graph(folder), {"--save-weights=" + path});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("sum\t2.5\t1\n"));
  EXPECT_THAT(result.err, HasSubstr("2 weight tables, 20 B in " + path));
  const auto file = read_weights(path);
  ASSERT_TRUE(file) << file.error().text();
  ASSERT_EQ(file->tensors.size(), 2u);
  EXPECT_EQ(file->tensors[0].name, "half");
  EXPECT_EQ(text_of_shape(file->tensors[0].shape), "[1]");
  EXPECT_EQ(text_of_shape(file->tensors[1].shape), "[1, 2, 2]");
  EXPECT_THAT(values_of(file->tensors[1]), ElementsAre(1, 0, 0, 2));
  EXPECT_THAT(list_folder(folder), ElementsAre("small.pb", "w.safetensors"));
}

class WeightsEachBackend : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(WeightFiles, WeightsEachBackend,
                         ::testing::Values("reference", "interpreter"));

TEST_P(WeightsEachBackend, computes_with_loaded_weights) {
  const std::string folder = test_folder();
  const std::string weights = write_tensors(
      folder, {tensor_of("half", {1}, {10}), tensor_of("matrix", {1, 2, 2}, {1, 1, 1, 0})});
  const Finished result = run_vecc({write_small_graph(folder), "--dtype=f64", "--load-weights",
                                    weights, std::string("--backend=") + GetParam()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "sum\t12\t1\navg\t1.5\t-\nvector\t[7, 3]\t[3, 7]\n");
  EXPECT_THAT(result.err, HasSubstr("2 weight tables of " + weights));
}

TEST(WeightFiles, saved_initial_weights_load_to_the_same_outputs) {
  const std::string folder = test_folder();
  const std::string graph = write_open_graph(folder);
  const std::string path = folder + "/w.safetensors";
  const Finished first = run_reference(graph, {"--init=normal", "--save-weights=" + path});
  const std::string bytes = read_text(path);
  EXPECT_EQ(run_reference(graph, {"--load-weights=" + path}).out, first.out);
  // Loaded weights are not drawn again, and saved as they were.
  const Finished again = run_reference(
      graph, {"--load-weights=" + path, "--init=uniform", "--save-weights=" + path + "2"});
  EXPECT_EQ(again.out, first.out);
  EXPECT_EQ(read_text(path + "2"), bytes);
}

TEST(WeightFiles, weights_without_values_cannot_be_saved) {
  const std::string folder = test_folder();
  const Finished result =
      run_reference(write_open_graph(folder), {"--save-weights=" + folder + "/w.safetensors"});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err, HasSubstr("weight table \"open\": error: has no values; --init=glorot "
                                    "gives it some [E023]"));
  EXPECT_THAT(list_folder(folder), ElementsAre("open.pb"));
}

// Safetensors has this key for itself.
TEST(WeightFiles, a_table_that_safetensors_cannot_name_is_refused_before_work) {
  const std::string folder = test_folder();
  const std::string graph = write_named_table_graph(folder, "__metadata__");
  EXPECT_EQ(run_reference(graph, {}).out, "half\t1.5\t1\n");
  const std::string expected = graph +
                               ": weight table \"__metadata__\": error: safetensors cannot hold "
                               "this name, expected UTF-8 other than __metadata__: rename it "
                               "[E026]\n";
  const std::string out = folder + "/out";
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"--save-weights=" + out},
                                             {"--train", "--epochs=1", "--save-weights=" + out},
                                             {"--train", "--epochs=1", "--checkpoint=" + out},
                                             {"--train", "--folds=2", "--save-weights=" + out},
                                             {"--save-program=" + out},
                                             {"--emit=python", "-o", out},
                                             {"--emit=cpp", "-o", out},
                                             {"--emit=cuda", "-o", out}}) {
    std::vector<std::string> arguments{graph, "--quiet", "--device=cpu"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished result = run_vecc(arguments);
    EXPECT_EQ(result.code, 3) << more.front();
    EXPECT_EQ(result.err, expected) << more.front();
    EXPECT_EQ(result.out, "");
  }
  for (const char* emit : {"ir", "dot", "html", "plan", "stats"}) {  // texts can hold it
    const std::string path = folder + "/named." + (emit == std::string("ir") ? "vecc" : emit);
    EXPECT_EQ(run_vecc({graph, "--quiet", std::string("--emit=") + emit, "-o", path}).code, 0);
  }
  for (const char* emit : {"--emit=python", "--emit=cpp", "--emit=cuda"}) {
    Command command;
    command.tool = "vecc-opt";
    command.arguments = {folder + "/named.vecc", emit, "-o", out};
    const Finished result = run(command);
    EXPECT_EQ(result.code, 3) << emit;
    EXPECT_THAT(result.err, HasSubstr("tensor \"__metadata__\": error: safetensors cannot hold"));
  }
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST(WeightFiles, strict_refuses_with_the_list_of_differences) {
  const std::string folder = test_folder();
  const std::string weights = write_tensors(
      folder, {tensor_of("matrix", {2, 2}, {1, 1, 1, 0}), tensor_of("evil\x1b[2J\n", {1}, {1})});
  const std::string graph = write_small_graph(folder);
  const Finished result = run_reference(graph, {"--load-weights=" + weights});
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.out, "");
  const std::string first = weights + ": weight table \"half\": error: is not in the file [E027]\n";
  EXPECT_EQ(result.err,
            first + weights +
                ": weight table \"matrix\": error: has shape [2, 2] in the file, expected [1, 2, "
                "2]: 1 of shape 2x2 [E027]\n" +
                weights +
                ": tensor \"evil\\x1b[2J\\n\": error: fits no weight table of the graph [E027]\n");
  EXPECT_EQ(run_reference(graph, {"--load-weights=" + weights, "--max-errors=1"}).err,
            first + "... and 2 more errors\n");
}

TEST(WeightFiles, by_name_lists_what_only_one_of_them_has) {
  const std::string folder = test_folder();
  const std::string weights =
      write_tensors(folder, {tensor_of("given", {1}, {5}), tensor_of("other", {1}, {1})});
  const std::string graph = write_open_graph(folder);
  const Finished result =
      run_reference(graph, {"--load-weights=by-name:" + weights, "--init=constant"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "first\t0.1\t-\nboth\t15.3\t-\n");
  EXPECT_THAT(result.err,
              HasSubstr("1 weight table of " + weights +
                        "; not in the file: \"open\" (initialised); unused: \"other\"\n"));
  const Finished object =
      run_reference(graph, {"--load-weights=by-name:" + weights, "--init=constant", "--json"});
  const json stage = json::parse(object.out).at("stages").at(1);
  EXPECT_EQ(stage.at("name"), "load");
  EXPECT_EQ(stage.at("tables"), 1);
  EXPECT_EQ(stage.at("not_in_file"), json({"open"}));
  EXPECT_EQ(stage.at("unused"), json({"other"}));
}

TEST(WeightFiles, by_name_lists_names_up_to_the_limit_of_errors) {
  const std::string folder = test_folder();
  const std::string weights = write_tensors(
      folder, {tensor_of("a", {1}, {5}), tensor_of("b", {1}, {1}), tensor_of("c", {1}, {1})});
  const Finished result = run_reference(write_small_graph(folder),
                                        {"--load-weights=by-name:" + weights, "--max-errors=2"});
  EXPECT_THAT(result.err, HasSubstr("; not in the file: \"half\" (as in the graph), \"matrix\" (as "
                                    "in the graph); unused: \"a\", \"b\" and 1 more\n"));
}

TEST(WeightFiles, bad_usage) {
  const std::string folder = test_folder();
  const std::string graph = write_small_graph(folder);
  const auto error = [&](std::vector<std::string> more) {
    const Finished result = run_reference(graph, std::move(more));
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_THAT(error({"--load-weights=by-name:"}), HasSubstr("--load-weights: needs a path"));
  const std::string path = folder + "/w";
  EXPECT_THAT(error({"--save-weights=" + path, "-o", path}),
              HasSubstr("-o " + path + " and --save-weights=" + path + " name one file"));
  EXPECT_THAT(error({"--save-weights=" + path, "--gradients=" + path}),
              HasSubstr("--gradients=" + path + " and --save-weights=" + path + " name one file"));
  EXPECT_THAT(error({"--save-weights=" + graph}),
              HasSubstr("--save-weights=" + graph + " and the graph " + graph + " name one file"));
  EXPECT_THAT(list_folder(folder), ElementsAre("small.pb"));
}

TEST(WeightFiles, that_cannot_be_read_or_written_are_errors) {
  const std::string folder = test_folder();
  const std::string graph = write_small_graph(folder);
  const Finished missing = run_reference(graph, {"--load-weights=" + folder + "/missing"});
  EXPECT_EQ(missing.code, 3);
  EXPECT_THAT(missing.err, HasSubstr("missing: error: cannot be opened: No such file"));
  for (const std::string& path : {folder + "/missing/w", folder, std::string("/dev/full")}) {
    const Finished result = run_reference(graph, {"--save-weights=" + path});
    EXPECT_EQ(result.code, 3) << path;
    EXPECT_THAT(result.err, HasSubstr("[E051]")) << path;
  }
  EXPECT_THAT(list_folder(folder), ElementsAre("small.pb"));
}

std::string mutagenesis(const std::string& suffix) {
  return std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/mutagenesis" + suffix;
}

/// Mutagenesis with the samples begin .. end-1 only; `open`: its weights have no values.
std::string write_split(const std::string& path, std::size_t begin, std::size_t end, bool open) {
  auto graph = read_graph(mutagenesis(".pb"));
  EXPECT_TRUE(graph) << graph.error().text();
  StringColumn ids;
  for (std::size_t i = begin; i < end; ++i) ids.push_back(graph->sample_ids[i]);
  graph->sample_ids = ids;
  graph->samples.erase(graph->samples.begin() + static_cast<std::ptrdiff_t>(end),
                       graph->samples.end());
  graph->samples.erase(graph->samples.begin(),
                       graph->samples.begin() + static_cast<std::ptrdiff_t>(begin));
  for (WeightTable& table : graph->weight_tables) {
    if (!open || !table.learnable) continue;
    table.has_values = false;
    table.values = nullptr;
  }
  const auto written = write_graph(*graph, path, Compression::None);
  EXPECT_TRUE(written) << written.error().text();
  return path;
}

TEST(WeightFiles, of_some_molecules_predict_the_others) {
  const std::string folder = test_folder();
  const std::string weights = folder + "/w.safetensors";
  const std::string first = write_split(folder + "/train.pb", 0, 150, /*open=*/false);
  const std::string second = write_split(folder + "/test.pb", 150, 188, /*open=*/true);
  EXPECT_EQ(run_reference(first, {"--save-weights=" + weights}).code, 0);
  const Finished without = run_reference(second, {});
  EXPECT_EQ(without.code, 3);
  const Finished result = run_reference(second, {"--load-weights=" + weights});
  EXPECT_EQ(result.code, 0) << result.err;
  // The same lines as those of the whole graph.
  const std::string whole = run_reference(mutagenesis(".pb"), {}).out;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 38);
  EXPECT_THAT(result.out, StartsWith("s_150:"));
  EXPECT_TRUE(whole.ends_with(result.out)) << result.out;
}

}  // namespace
}  // namespace vecc::test
