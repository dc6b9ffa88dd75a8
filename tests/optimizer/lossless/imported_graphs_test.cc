// The optimizer on architectures over real data sets: nothing is lost, and unlimited lifting leaves
// the rows that the paths of the graphs have.
#include "tests/optimizer/lossless/imported_graphs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <tuple>

namespace vecc::test {
namespace {

#define NEED_DATA(name)                                                     \
  if (!std::filesystem::exists(data_folder(name))) {                        \
    const char* ci = std::getenv("CI");                                     \
    ASSERT_NE(std::string_view(ci ? ci : ""), "true") << data_folder(name); \
    GTEST_SKIP() << data_folder(name) << ": not there, not tested";         \
  }

using GraphAndSetting = std::tuple<ImportedGraph, Setting>;
class LosslessOnImports : public testing::TestWithParam<GraphAndSetting> {};

TEST_P(LosslessOnImports, outputs_and_gradients) {
  const auto& [graph, setting] = GetParam();
  NEED_DATA(graph.data);
  const NamedProgram& program = imported(graph);
  if (!is_in_sample(program, setting)) GTEST_SKIP() << "in the full list";
  EXPECT_EQ(check_lossless(program, setting), "");
}

std::string import_test_name(const testing::TestParamInfo<GraphAndSetting>& info) {
  const auto& [graph, setting] = info.param;
  std::string name = graph.data + "_" + graph.model + "_" + setting.name;
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Optimizer, LosslessOnImports,
                         testing::Combine(testing::ValuesIn(imported_graphs()),
                                          testing::ValuesIn(all_settings())),
                         import_test_name);

// Rows of the facts, then of every segment op, in order.
std::vector<std::uint32_t> fact_and_segment_rows(const Program& program) {
  std::vector<std::uint32_t> rows;
  for (const Op& op : program.ops()) {
    if (op.kind() == OpKind::Fact || op.kind() == OpKind::Segment) rows.push_back(op.rows);
  }
  return rows;
}

Program run_unlimited(const Program& program, std::vector<std::string> passes) {
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
  NEED_DATA("tu_MUTAG");
  const Program lifted = run_unlimited(imported({"tu_MUTAG", "gcn"}).program,
                                       {"dedup-facts", "iso-compress", "dedup-linear-pairs",
                                        "dedup-rows", "lift-gathers", "broadcast-linear"});
  EXPECT_EQ(count_gathers(lifted), 0u);
  EXPECT_EQ(fact_and_segment_rows(lifted), (std::vector<std::uint32_t>{18298, 7442, 3371, 188}));
}

// Without iso-compress, which finds graphs of different size with equal means: a few nodes fewer.
TEST(LiftedConvolutions, PROTEINS_has_no_gather_left) {
  NEED_DATA("tu_PROTEINS");
  const Program lifted =
      run_unlimited(imported({"tu_PROTEINS", "gcn"}).program, {"lift-gathers", "broadcast-linear"});
  EXPECT_EQ(count_gathers(lifted), 0u);
  EXPECT_EQ(fact_and_segment_rows(lifted),
            (std::vector<std::uint32_t>{661820, 162088, 43471, 1113}));
}

}  // namespace
}  // namespace vecc::test
