// Which values' gradients are one block that readers of parts add to.
#include "backends/torch/gradient_plan.h"

#include <gtest/gtest.h>

#include "tests/program/recursive_levels.h"
#include "tests/torch/torch_check.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

GradientPlan gradient_plan(const Program& program) {
  const FusedReads fused(program, {});
  return plan_gradients(program, fused, plan_buffers(program, fused), true);
}

// One value read in parts of every kind, twice, and as a whole.
TEST(TorchGradientPlan, PartsOfAValueShareItsBlock) {
  const auto program = parse_program(
      "vecc program 1 f64 "
      R"(samples 11
parameter "w" [6, 2x1] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
%0 = weight "w" : f64[6, 2x1]
%1 = transform %0 tanh : f64[6, 2x1]
%2 = gather %1 [1:4] : f64[3, 2x1]
%3 = gather %1 [0:5:2] : f64[3, 2x1]
%4 = gather %1 [5, 1, 5] : f64[3, 2x1]
%5 = gather %1 [2, 2, 3, 5] : f64[4, 2x1]
%6 = segment %5 [0, 0, 3, 4] avg : f64[3, 2x1]
%7 = gather %1 [repeat 3 x 1] : f64[3, 2x1]
%8 = gather %1 [0, 5, 0] : f64[3, 2x1]
%9 = map sum($0, $1, $2, $3, $4, $5) %2, %3, %4, %6, %7, %8 : f64[3, 2x1]
%10 = transform %1 square : f64[6, 2x1]
%11 = output %9 [0:3] : f64[3, 2x1]
%12 = output %10 [3:9] : f64[6, 2x1]
%13 = gather %0 [4, 4] : f64[2, 2x1]
%14 = output %13 [9:11] : f64[2, 2x1])",
      "test");
  ASSERT_TRUE(program) << program.error().text();
  const GradientPlan plan = gradient_plan(*program);
  EXPECT_NE(plan.block[1], kNoRows);
  EXPECT_EQ(plan.block[0], kNoRows);  // one part alone
}

// One block for the gradients of all levels: readers add to the rows that they read.
TEST(TorchGradientPlan, LevelsOfARecursionShareTheRowsOfTheirGradient) {
  Program program(DType::F64);
  const auto values = std::make_shared<const std::vector<double>>(random_values(8, 3));
  const ValueId first = program.weight(*program.add_parameter({"w", 4, Shape::column(2), values}));
  const ValueId all = append_levels(program, first, 50);
  const std::uint32_t rows = program.op(all).rows;
  program.set_sample_count(rows);
  program.output(all, Index::slice(0, rows));
  const GradientPlan plan = gradient_plan(program);
  ASSERT_EQ(plan.collected.size(), 1u);
  EXPECT_EQ(plan.collected[0].rows, 204u);
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    if (program.op(id).kind() == OpKind::Concat) {
      EXPECT_EQ(plan.block[id], 0u);
    }
  }
}

}  // namespace
}  // namespace vecc::test
