// Which values' gradients are one block that readers of parts add to.
#include "backends/torch/gradient_plan.h"

#include <gtest/gtest.h>

#include "tests/program/recursive_levels.h"
#include "tests/program/value_in_parts.h"
#include "tests/torch/torch_check.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

libtorch::GradientPlan gradient_plan(const Program& program) {
  const libtorch::FusedReads fused(program, {});
  return libtorch::plan_gradients(program, fused, libtorch::plan_buffers(program, fused), true);
}

// One value read in parts of every kind, twice, and as a whole.
TEST(TorchGradientPlan, PartsOfAValueShareItsBlock) {
  const auto program = parse_program(std::string("vecc program 1 f64 ") + kValueInParts, "test");
  ASSERT_TRUE(program) << program.error().text();
  const libtorch::GradientPlan plan = gradient_plan(*program);
  EXPECT_NE(plan.block[1], libtorch::kNoRows);
  EXPECT_EQ(plan.block[0], libtorch::kNoRows);  // one part alone
}

// One block for the gradients of all levels: readers add to the rows that they read.
TEST(TorchGradientPlan, LevelsOfARecursionShareTheRowsOfTheirGradient) {
  const Program program = recursive_program(50, /*learns=*/true);
  const libtorch::GradientPlan plan = gradient_plan(program);
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
