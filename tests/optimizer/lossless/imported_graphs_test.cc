// The optimizer on architectures over real data sets: nothing is lost, and unlimited lifting leaves
// the rows that the paths of the graphs have.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "tests/import_models/grounded_graph.h"
#include "tests/optimizer/lossless/lossless_check.h"
#include "tools/import/load/loaders.h"
#include "tools/import/models/models.h"

namespace vecc::test {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Where the test unpack_datasets puts an archive.
std::string data_folder(const std::string& name) {
  return environment("VECC_BINARY_DIR") + "/data/tu_" + name;
}

#define NEED_DATA(name)                                             \
  if (!std::filesystem::exists(data_folder(name))) {                \
    ASSERT_NE(environment("CI"), "true") << data_folder(name);      \
    GTEST_SKIP() << data_folder(name) << ": not there, not tested"; \
  }

// A data set of graphs under an architecture, as the vectorizer makes it.
NamedProgram imported(const std::string& data_set, std::string_view model) {
  const auto data = tools::load_tu(data_folder(data_set));
  VECC_CHECK(data.has_value(), data.error().text());
  const auto models = tools::graph_set_models();
  const auto found = std::ranges::find(models, model, &tools::GraphSetModel::name);
  VECC_CHECK(found != models.end(), std::string(model));
  tools::GraphSetOptions options;
  options.dim = 3;
  options.layers = found->layers;
  const auto graph =
      ground_to_graph([&](Grounder& out) { return found->ground(*data, options, out); });
  VECC_CHECK(graph.has_value(), graph.error().text());
  return vectorized(data_set + " " + std::string(model), *graph);
}

class LosslessOnMutag : public testing::TestWithParam<const char*> {};

TEST_P(LosslessOnMutag, every_setting) {
  NEED_DATA("MUTAG");
  const NamedProgram program = imported("MUTAG", GetParam());
  for (const Setting& setting : all_settings()) {
    if (!is_in_sample(program, setting)) continue;
    EXPECT_EQ(check_lossless(program, setting), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Optimizer, LosslessOnMutag,
                         testing::Values("gcn", "sage", "gin", "gcn-norm", "gat"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// Rows of the facts, then of every segment op, in order.
std::vector<std::uint32_t> fact_and_segment_rows(const Program& program) {
  std::vector<std::uint32_t> rows;
  for (const Op& op : program.ops()) {
    if (op.kind() == OpKind::Fact || op.kind() == OpKind::Segment) rows.push_back(op.rows);
  }
  return rows;
}

Program run_passes(const Program& program, std::vector<std::string> passes) {
  OptimizeOptions options;
  options.passes = std::move(passes);
  options.gather_preset = "agg_true_unlimited";
  const auto result = optimize(program, options);
  VECC_CHECK(result.has_value(), result.error().text());
  return *result;
}

std::size_t count_gathers(const Program& program) {
  return static_cast<std::size_t>(std::ranges::count(program.ops(), OpKind::Gather, &Op::kind));
}

// What is left are paths of two edges, edges, nodes and graphs.
TEST(LiftedConvolutions, MUTAG_has_no_gather_left) {
  NEED_DATA("MUTAG");
  const Program lifted = run_passes(imported("MUTAG", "gcn").program,
                                    {"dedup-facts", "iso-compress", "dedup-linear-pairs",
                                     "dedup-rows", "lift-gathers", "broadcast-linear"});
  EXPECT_EQ(count_gathers(lifted), 0u);
  EXPECT_EQ(fact_and_segment_rows(lifted), (std::vector<std::uint32_t>{18298, 7442, 3371, 188}));
}

// Without iso-compress, which finds graphs of different size with equal means: a few nodes fewer.
TEST(LiftedConvolutions, PROTEINS_has_no_gather_left) {
  NEED_DATA("PROTEINS");
  const Program lifted =
      run_passes(imported("PROTEINS", "gcn").program, {"lift-gathers", "broadcast-linear"});
  EXPECT_EQ(count_gathers(lifted), 0u);
  EXPECT_EQ(fact_and_segment_rows(lifted),
            (std::vector<std::uint32_t>{661820, 162088, 43471, 1113}));
}

}  // namespace
}  // namespace vecc::test
