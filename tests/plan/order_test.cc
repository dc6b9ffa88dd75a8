// Short segments of changing lengths: rows come sorted by length within their tile.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/random_source.h"
#include "vecc/plan.h"

namespace vecc::test {
namespace {

constexpr std::uint32_t kSegments = 9000;

// Sums of 1 to `longest` rows of `shape`.
Program sums_of(Shape shape, std::uint32_t longest) {
  RandomSource random(1);
  std::vector<std::uint32_t> offsets{0};
  for (std::uint32_t s = 0; s < kSegments; ++s) {
    offsets.push_back(offsets.back() + 1 + random.below(longest));
  }
  Program program;
  const ParameterIndex x = program.add_parameter({"x", offsets.back(), shape, nullptr}).value();
  const ValueId sums =
      program.segment(program.weight(x), Segments::ragged(std::move(offsets)), Combination::Sum);
  program.set_sample_count(kSegments);
  program.output(sums, Index::slice(0, kSegments));
  return program;
}

TEST(RowOrder, IsByLengthWithinATile) {
  const Program program = sums_of(Shape::column(3), 4);
  const Plan plan = make_plan(program);
  EXPECT_TRUE(verify(plan));
  ASSERT_EQ(plan.launches.size(), 1u);
  const Launch& launch = plan.launches[0];
  ASSERT_TRUE(plan.kernels[launch.kernel].ordered);
  ASSERT_GT(launch.tiles.size(), 2u);
  const auto& order = *plan.arrays[launch.order];
  const auto& offsets = *plan.arrays[launch.offsets];
  for (std::size_t t = 0; t + 1 < launch.tiles.size(); ++t) {
    for (std::uint32_t q = launch.tiles[t]; q < launch.tiles[t + 1]; ++q) {
      ASSERT_TRUE(launch.tiles[t] <= order[q] && order[q] < launch.tiles[t + 1]) << q;
      if (q == launch.tiles[t]) continue;
      const std::uint32_t before = order[q - 1];
      const std::uint32_t length = offsets[order[q] + 1] - offsets[order[q]];
      ASSERT_LE(offsets[before + 1] - offsets[before], length) << q;
    }
  }
  EXPECT_NE(text_of(plan, program).find(" tiles in order ["), std::string::npos);
}

TEST(RowOrder, IsThatOfRowsWhereItGainsNothing) {
  const auto has_order = [](const Program& program) {
    return make_plan(program).launches[0].order != kNone;
  };
  EXPECT_FALSE(has_order(sums_of(Shape::column(3), 1))) << "equal lengths";
  EXPECT_FALSE(has_order(sums_of(Shape::column(16), 4))) << "long rows";
  EXPECT_FALSE(has_order(sums_of(Shape(), 40))) << "long segments";
}

}  // namespace
}  // namespace vecc::test
