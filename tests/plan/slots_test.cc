// How many groups of threads share the members of a row: by what was measured on a GPU.
#include <gtest/gtest.h>

#include "src/plan/launch_layout.h"
#include "src/plan/row_cost.h"

namespace vecc::test {
namespace {

// The sums of `rows` segments of `members` rows of `width` numbers, then a product with a matrix.
struct Sums {
  std::uint32_t rows = 1;
  std::uint32_t members = 1;
  std::uint32_t width = 1;
  bool has_product = false;
  std::uint32_t longest = 0;  // of one segment; 0: as the others
};

Plan plan_of(const Sums& sums) {
  Program program;
  program.set_sample_count(1);
  std::vector<std::uint32_t> offsets{0};
  for (std::uint32_t row = 0; row < sums.rows; ++row) {
    offsets.push_back(offsets.back() +
                      (row == 0 && sums.longest > 0 ? sums.longest : sums.members));
  }
  const std::vector<double> numbers(std::uint64_t{offsets.back()} * sums.width, 1.0);
  const ValueId x = program.fact(numbers, offsets.back(), Shape::column(sums.width));
  ValueId sum = program.segment(x, Segments::ragged(std::move(offsets)), Combination::Sum);
  if (sums.has_product) {
    const ValueId matrix =
        program.fact(std::vector<double>(std::uint64_t{sums.width} * sums.width, 1.0), 1,
                     Shape(sums.width, sums.width));
    LinearOp linear;
    linear.lift_left = {Lift::Kind::Repeat, sums.rows};
    sum = program.linear(matrix, sum, linear);
  }
  program.output(program.gather(sum, Index::slice(0, 1)), Index::slice(0, 1));
  PlanOptions options = for_gpu({});
  options.longest_piece = options.longest_wide_piece = 1u << 20;
  options.even_pieces = 0;
  return make_plan(program, options);
}

std::uint32_t slots_of(const Sums& sums) {
  const Plan plan = plan_of(sums);
  const Launch& launch = plan.launches.front();
  return choose_slots(plan, launch, cuda_layout(plan.kernels[launch.kernel], CudaUnit::Kernel));
}

TEST(Slots, ManyRowsOfFewMembersAreAGroupsEach) {
  EXPECT_EQ(slots_of({.rows = 80'000, .members = 6, .width = 64}), 1u);
  EXPECT_EQ(slots_of({.rows = 80'000, .members = 1, .width = 1}), 1u);
}

TEST(Slots, FewLongRowsAreABlocksEach) {
  EXPECT_EQ(slots_of({.rows = 60, .members = 400, .width = 64}), kCudaThreads / 16);
  EXPECT_EQ(slots_of({.rows = 4, .members = 400, .width = 1}), kCudaThreads);
}

TEST(Slots, TheLongestRowOfFewCounts) {
  const Sums even{.rows = 700, .members = 4, .width = 64};
  Sums uneven = even;
  uneven.longest = 64;
  EXPECT_LT(slots_of(even), slots_of(uneven));
}

// All slots of a row compute what comes after its sum.
TEST(Slots, AProductAfterTheSumCountsForEach) {
  const Sums sums{.rows = 20'000, .members = 8, .width = 10};
  Sums with_product = sums;
  with_product.has_product = true;
  EXPECT_LE(slots_of(with_product), slots_of(sums));
  const auto cost_of = [](const Sums& of) {
    return cost_of_row(plan_of(of).kernels.front(), 8).row;
  };
  EXPECT_GT(cost_of(with_product), 1.5 * cost_of(sums));
}

// A longer row is not cheaper.
TEST(RowCost, GrowsWithTheRow) {
  for (const std::uint32_t lanes : {1u, 4u, 16u, 32u}) {
    double before = 0;
    for (const std::uint32_t width : {1u, 8u, 64u, 256u}) {
      const Plan plan = plan_of({.rows = 3, .members = 2, .width = width});
      const RowCost cost = cost_of_row(plan.kernels.front(), lanes);
      EXPECT_GT(cost.row, 0);
      EXPECT_GT(cost.halving, 0);
      EXPECT_GE(cost.member, before) << width << " of " << lanes;
      before = cost.member;
    }
  }
}

}  // namespace
}  // namespace vecc::test
