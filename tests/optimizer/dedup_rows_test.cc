// dedup-rows and fold-multiplicity in numbers: what they leave of a real graph, and that nothing
// unread is left.
#include <gmock/gmock.h>

#include <cstdlib>

#include "optimizer/rewrite/distinct_members.h"
#include "optimizer/rewrite/needed_rows.h"
#include "vecc/graph_io.h"
#include "vecc/optimize.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

using testing::ElementsAre;

Program vectorized_data_set(const std::string& name) {
  const char* source = std::getenv("VECC_SOURCE_DIR");
  const auto graph = read_graph(std::string(source ? source : ".") + "/datasets/" + name);
  VECC_CHECK(graph.has_value(), graph.error().text());
  auto vectorized = vectorize(*graph);
  VECC_CHECK(vectorized.has_value(), vectorized.error().text());
  return std::move(vectorized->program);
}

Program after_passes(const Program& program, std::vector<std::string> passes) {
  OptimizeOptions options;
  options.passes = std::move(passes);
  auto result = optimize(program, options);
  VECC_CHECK(result.has_value(), result.error().text());
  return std::move(*result);
}

std::vector<std::uint32_t> rows_of_segments(const Program& program, Combination combination) {
  std::vector<std::uint32_t> rows;
  for (const Op& op : program.ops()) {
    const auto* segment = std::get_if<SegmentOp>(&op.attributes);
    if (segment != nullptr && segment->combination == combination) rows.push_back(op.rows);
  }
  return rows;
}

// The numbers that colour refinement finds; the last mean's 6 equal rows of 188 are within the
// margin.
TEST(DedupRows, mutagenesis_has_the_rows_of_colour_refinement) {
  const Program program = after_passes(vectorized_data_set("mutagenesis.pb"),
                                       {"merge-units", "dedup-linear-pairs", "dedup-rows"});
  EXPECT_THAT(rows_of_segments(program, Combination::Sum), ElementsAre(39, 294, 1214));
  EXPECT_THAT(rows_of_segments(program, Combination::Avg), ElementsAre(67, 280, 859, 188));
}

TEST(DedupRows, no_unread_row_is_left) {
  for (const std::string name : {"mutagenesis.pb", "attention.pb", "functions-combinations.pb"}) {
    const Program program = after_passes(vectorized_data_set(name), {"dedup-rows"});
    const opt::RowPlan plan = opt::plan_needed_rows(program);
    EXPECT_FALSE(plan.changes) << name;
    EXPECT_EQ(plan.unread, 0u) << name;
  }
}

TEST(FoldMultiplicity, mutagenesis_folds_the_pooling_that_repeats_most) {
  const std::vector<std::string> passes{"merge-units", "dedup-linear-pairs", "dedup-rows"};
  const Program before = after_passes(vectorized_data_set("mutagenesis.pb"), passes);
  const opt::RowClasses classes(before);
  opt::DistinctMemberFinder finder(before, classes);
  std::vector<std::size_t> distinct;
  for (ValueId id = 0; id < before.ops().size(); ++id) {
    const auto* segment = std::get_if<SegmentOp>(&before.op(id).attributes);
    if (segment != nullptr && segment->combination == Combination::Avg) {
      distinct.push_back(finder.find(id).rows.size());
      EXPECT_EQ(finder.count(id), distinct.back());
    }
  }
  ASSERT_EQ(distinct.size(), 4u);
  EXPECT_THAT(std::vector(distinct.begin(), distinct.end() - 1), ElementsAre(140, 682, 2205));
  const Program after = after_passes(before, {"fold-multiplicity"});
  // Only the pooling (4,893 members) has at most 3/4 distinct ones: it is a sum of counted rows
  // now.
  EXPECT_THAT(rows_of_segments(after, Combination::Avg), ElementsAre(67, 280, 859));
  EXPECT_THAT(rows_of_segments(after, Combination::Sum), ElementsAre(39, 294, 1214, 188));
}

}  // namespace
}  // namespace vecc::test
