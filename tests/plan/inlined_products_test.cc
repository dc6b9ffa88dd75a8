// Products of one number and rows, which the op that reads them computes.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "src/plan/launch_layout.h"

namespace vecc::test {
namespace {

// -1 times rows from anywhere, then a sum: one launch on a GPU.
TEST(InlinedProducts, OfOneNumberAndGatheredRowsAreTheMaps) {
  constexpr std::uint32_t kGathered = 100;
  Program program;
  program.set_sample_count(1);
  std::vector<std::uint32_t> rows(kGathered);
  for (std::uint32_t r = 0; r < kGathered; ++r) rows[r] = r * 7 % kGathered;
  const ValueId all =
      program.fact(std::vector<double>(kGathered * 40, 0.5), kGathered, Shape::column(40));
  const ValueId number = program.fact({-1}, 1, Shape::scalar());
  LinearOp linear;
  linear.lift_left = {Lift::Kind::Repeat, kGathered};
  const ValueId minus = program.linear(number, program.gather(all, Index::list(rows)), linear);
  std::ranges::reverse(rows);
  const ValueId other = program.gather(all, Index::list(std::move(rows)));
  const ValueId tanh = program.map(*parse_expr("tanh($0)", "test"), std::vector{other});
  const ValueId sum = program.map(*parse_expr("sum($0, $1)", "test"), std::vector{tanh, minus});
  program.output(program.gather(sum, Index::slice(0, 1)), Index::slice(0, 1));
  EXPECT_EQ(make_plan(program, PlanOptions{.target = default_gpu()}).launches.size(), 1u);
  PlanOptions kept{.target = default_gpu()};
  kept.kept.push_back(minus);
  EXPECT_EQ(make_plan(program, kept).launches.size(), 2u);
}

}  // namespace
}  // namespace vecc::test
