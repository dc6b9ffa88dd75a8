// How many groups of threads share the members of a row, and how many members each has under way.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "src/kernel/schedule/row_cost.h"
#include "src/plan/launch_layout.h"
#include "src/plan/row_order.h"

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
  PlanOptions options{.target = default_gpu()};
  options.target.pieces.least_cut = 1u << 20;
  return make_plan(program, options);
}

std::uint32_t slots_of(const Sums& sums) {
  const Plan plan = plan_of(sums);
  const Launch& launch = plan.launches.front();
  return LaunchSchedules(plan).of(launch).schedule->members.of_class.front().slots;
}

TEST(MemberLoops, ManyRowsOfFewMembersAreAGroupsEach) {
  EXPECT_EQ(slots_of({.rows = 80'000, .members = 6, .width = 64}), 1u);
  EXPECT_EQ(slots_of({.rows = 80'000, .members = 1, .width = 1}), 1u);
}

TEST(MemberLoops, FewLongRowsAreABlocksEach) {
  EXPECT_EQ(slots_of({.rows = 60, .members = 400, .width = 64}), kCudaThreads / 16);
  EXPECT_EQ(slots_of({.rows = 4, .members = 400, .width = 1}), kCudaThreads);
}

TEST(MemberLoops, TheLongestRowOfFewCounts) {
  const Sums even{.rows = 700, .members = 4, .width = 64};
  Sums uneven = even;
  uneven.longest = 64;
  EXPECT_LT(slots_of(even), slots_of(uneven));
}

// All slots of a row compute what comes after its sum.
TEST(MemberLoops, AProductAfterTheSumCountsForEach) {
  const Sums sums{.rows = 20'000, .members = 8, .width = 10};
  Sums with_product = sums;
  with_product.has_product = true;
  EXPECT_LE(slots_of(with_product), slots_of(sums));
  const auto cost_of = [](const Sums& of) {
    return cost_of_row(plan_of(of).kernels.front(), 8, default_gpu()).row;
  };
  EXPECT_GT(cost_of(with_product), 1.5 * cost_of(sums));
}

// A batch is about as long as most rows; where there is one member, one is loaded.
TEST(MemberLoops, AsManyMembersAreUnderWayAsRowsHave) {
  const auto batch_of = [](const Sums& sums) {
    const Plan plan = plan_of(sums);
    const Launch& launch = plan.launches.front();
    return LaunchSchedules(plan).of(launch).schedule->members.of_class.front().batch;
  };
  EXPECT_EQ(batch_of({.rows = 80'000, .members = 1, .width = 10}), 1u);
  EXPECT_EQ(batch_of({.rows = 80'000, .members = 4, .width = 10}), 4u);
  EXPECT_EQ(batch_of({.rows = 80'000, .members = 9, .width = 20}), 8u);
  EXPECT_EQ(batch_of({.rows = 80'000, .members = 9, .width = 10}), 4u);  // six numbers a lane
  EXPECT_EQ(batch_of({.rows = 80'000, .members = 9, .width = 64}), 4u);  // four numbers a lane
}

// 300 rows of 500 members among 20,000 of 3: they come first, each of them a block's.
TEST(MemberLoops, LongRowsComeFirstAndHaveMoreThreads) {
  constexpr std::uint32_t kRows = 20'000;
  constexpr std::uint32_t kLong = 300;
  Program program;
  program.set_sample_count(1);
  std::vector<std::uint32_t> offsets{0};
  for (std::uint32_t row = 0; row < kRows; ++row) {
    offsets.push_back(offsets.back() +
                      (row % (kRows / kLong) == 0 && row / (kRows / kLong) < kLong ? 500 : 3));
  }
  const ValueId x = program.fact(std::vector<double>(offsets.back() * 10, 1.0), offsets.back(),
                                 Shape::column(10));
  const std::vector<std::uint32_t> all = offsets;
  const ValueId sum = program.segment(x, Segments::ragged(std::move(offsets)), Combination::Sum);
  program.output(program.gather(sum, Index::slice(0, 1)), Index::slice(0, 1));
  const Plan plan = make_plan(program, PlanOptions{.target = default_gpu()});
  const Launch& launch = plan.launches.front();
  ASSERT_NE(launch.order, kNone);
  const std::vector<std::uint32_t>& order = *plan.arrays[launch.order];
  ASSERT_EQ(order.size(), kRows);
  for (std::uint32_t at = 0; at < kRows; ++at) {
    EXPECT_EQ(all[order[at] + 1] - all[order[at]], at < kLong ? 500u : 3u);
  }
  EXPECT_TRUE(std::ranges::is_sorted(order.begin(), order.begin() + kLong));
  EXPECT_TRUE(std::ranges::is_sorted(order.begin() + kLong, order.end()));

  const LaunchSchedule rows = LaunchSchedules(plan).of(launch);
  const MemberLoops& loops = rows.schedule->members;
  ASSERT_EQ(rows.ends, (std::vector<std::uint32_t>{kLong, kRows}));
  EXPECT_EQ(loops.of_class[0].slots, loops.threads / loops.lanes);
  EXPECT_EQ(loops.of_class[1].slots, 1u);
  std::uint32_t next = 0;
  for (const BlockRows& block : cut_blocks(plan, launch, rows)) {
    EXPECT_EQ(block.begin, next);
    EXPECT_EQ(block.type, block.begin < kLong ? 0u : 1u);
    next = block.end;
  }
  EXPECT_EQ(next, kRows);
}

// Where there are more narrow rows than threads, two lanes have each; wide ones keep theirs.
TEST(MemberLoops, ManyNarrowRowsHaveFewLanes) {
  const auto lanes_of = [](const Sums& sums) {
    const Plan plan = plan_of(sums);
    return LaunchSchedules(plan).of(plan.launches.front()).schedule->lanes();
  };
  const Sums narrow{.rows = 100'000, .members = 3, .width = 10, .has_product = true};
  EXPECT_EQ(lanes_of(narrow), 2u);
  Sums few = narrow;
  few.rows = 300;
  EXPECT_EQ(lanes_of(few), 8u);
  Sums wide = narrow;
  wide.width = 64;
  wide.has_product = false;
  EXPECT_EQ(lanes_of(wide), 16u);
}

// A warp has a row of 1,024 numbers where there is one for each; of few rows blocks share each.
TEST(MemberLoops, ManyLongRowsAreAWarpsEach) {
  const auto schedule_of = [](std::uint32_t rows, std::uint32_t width) {
    const Plan plan = plan_of({.rows = rows, .members = 1, .width = width});
    return *LaunchSchedules(plan).of(plan.launches.front()).schedule;
  };
  const KernelSchedule many = schedule_of(1'100, 1'024);
  EXPECT_EQ(many.lanes(), 32u);
  EXPECT_EQ(many.parts, 1u);
  EXPECT_GT(schedule_of(200, 1'024).parts, 1u);
  EXPECT_GT(schedule_of(1'100, 4'096).parts, 1u);
}

// Blocks of many narrow rows have half of the threads, so twice the blocks; unless none may.
TEST(MemberLoops, ManyNarrowRowsRunInSmallBlocks) {
  const auto threads_of = [](const Sums& sums, std::uint32_t fewest = kNarrowThreads) {
    const Plan plan = plan_of(sums);
    const Launch& launch = plan.launches.front();
    const LaunchSchedule rows = LaunchSchedules(plan, fewest).of(launch);
    const MemberLoops& chosen = rows.schedule->members;
    const std::vector<BlockRows> blocks = cut_blocks(plan, launch, rows);
    const std::uint32_t of_block = chosen.threads / (chosen.lanes * chosen.of_class.front().slots);
    EXPECT_EQ(blocks.size(), (launch.rows + of_block - 1) / of_block);
    return chosen.threads;
  };
  const Sums narrow{.rows = 100'000, .members = 3, .width = 10, .has_product = true};
  EXPECT_EQ(threads_of(narrow), kNarrowThreads);
  EXPECT_EQ(threads_of(narrow, kCudaThreads), kCudaThreads);
  Sums few = narrow;
  few.rows = 300;
  EXPECT_EQ(threads_of(few), kCudaThreads);
  Sums wide = narrow;
  wide.width = 64;
  wide.has_product = false;
  EXPECT_EQ(threads_of(wide), kCudaThreads);
}

// 100,000 rows of one number, 3,000 of 60 and 40 of 1,000: each kind has a loop of its own.
TEST(MemberLoops, ThreeKindsOfRowsHaveThreeLoops) {
  const std::uint32_t lengths[] = {1, 60, 1'000};
  const std::uint32_t rows[] = {100'000, 3'000, 40};
  Program program;
  program.set_sample_count(1);
  std::vector<std::uint32_t> offsets{0};
  for (const std::size_t kind : {0u, 1u, 2u}) {
    for (std::uint32_t row = 0; row < rows[kind]; ++row) {
      offsets.push_back(offsets.back() + lengths[kind]);
    }
  }
  const ValueId x =
      program.fact(std::vector<double>(offsets.back(), 1.0), offsets.back(), Shape::scalar());
  const ValueId sum = program.segment(x, Segments::ragged(std::move(offsets)), Combination::Sum);
  program.output(program.gather(sum, Index::slice(0, 1)), Index::slice(0, 1));
  const Plan plan = make_plan(program, PlanOptions{.target = default_gpu()});
  const LaunchSchedule chosen = LaunchSchedules(plan).of(plan.launches.front());
  EXPECT_EQ(chosen.ends, (std::vector<std::uint32_t>{40, 3'040, 103'040}));
  const std::vector<MemberLoop>& of_class = chosen.schedule->members.of_class;
  ASSERT_EQ(of_class.size(), kMostRowClasses);
  EXPECT_GT(of_class[0].slots, of_class[1].slots);
  EXPECT_GT(of_class[1].slots, of_class[2].slots);
}

// Rows of one length have no order, whatever it is.
TEST(MemberLoops, EvenRowsKeepTheirOrder) {
  for (const std::uint32_t members : {2u, 40u}) {
    const Plan plan = plan_of({.rows = 500, .members = members, .width = 10});
    EXPECT_EQ(plan.launches.front().order, kNone);
  }
}

// A longer row is not cheaper.
TEST(RowCost, GrowsWithTheRow) {
  for (const std::uint32_t lanes : {1u, 4u, 16u, 32u}) {
    double before = 0;
    for (const std::uint32_t width : {1u, 8u, 64u, 256u}) {
      const Plan plan = plan_of({.rows = 3, .members = 2, .width = width});
      const RowCost cost = cost_of_row(plan.kernels.front(), lanes, default_gpu());
      EXPECT_GT(cost.row, 0);
      EXPECT_GT(cost.halving, 0);
      EXPECT_GE(cost.member, before) << width << " of " << lanes;
      before = cost.member;
    }
  }
}

}  // namespace
}  // namespace vecc::test
