// Numbers and places of a compact batch's values.
#include "src/batch/value_numbers.h"

#include <gtest/gtest.h>

#include <array>

#include "src/batch/value_places.h"

namespace vecc::test {
namespace {

// A launch stores rows of two units into the only buffer; others load rows of three from unit 6 on.
BatchPlan plan_of_rows() {
  BatchPlan plan;
  plan.is_compact = true;
  plan.units = {1};
  plan.unit_counts = {24};
  plan.made_buffers = {true};
  plan.blocks = {6};
  plan.lives = {{0, 1}};
  BatchAccess store;
  store.store = true;
  store.size = 2;
  store.rows = 12;
  BatchLaunch& launch = plan.launches.emplace_back();
  launch.rows = 12;
  launch.takes_order = true;
  launch.accesses = {store};
  return plan;
}

TEST(ValueNumbers, rows_of_several_sizes_have_numbers_in_the_same_units) {
  const BatchPlan plan = plan_of_rows();
  BatchRows rows;
  rows.wide = {3, 4, 5, 9, 10, 11};
  rows.tiles = {{0, 6, 0}};
  BatchRows::Run& run = rows.runs.emplace_back();
  run.rows = 6;
  run.tiles = 1;
  run.order = 0;
  ValueNumbers numbers(plan);
  numbers.set(rows);
  EXPECT_EQ(numbers.counts(), std::vector<std::uint64_t>{12});
  BatchAccess load;
  load.first = 6;
  load.size = 3;
  load.rows = 6;
  const ValueNumbers::Rows found(numbers, load);
  EXPECT_EQ(found.first(), 0u);
  std::array<std::uint32_t, 4> wide{};
  EXPECT_TRUE(found.write(std::array<std::uint32_t, 4>{0, 1, 4, 5}, wide.data()));
  EXPECT_EQ(wide, (std::array<std::uint32_t, 4>{0, 1, 2, 3}));
  EXPECT_EQ(found.place(5), 9u);
  EXPECT_FALSE(found.place(2));
  std::uint16_t narrow = 0;
  EXPECT_FALSE(found.write(std::array<std::uint32_t, 1>{3}, &narrow));
  rows.wide = {0, 1, 2};
  rows.tiles = {{0, 3, 0}};
  run.rows = 3;
  numbers.set(rows);
  EXPECT_EQ(numbers.counts(), std::vector<std::uint64_t>{6});
}

TEST(ValuePlaces, of_buffers_that_live_at_once_are_apart) {
  BatchPlan plan;
  plan.units = {1, 1, 1, 1};
  plan.made_buffers = {true, true, true, false};
  plan.lives = {{0, 2}, {1, 3}, {3, 4}, {0, 9}};
  ValuePlaces places(plan);
  places.set(std::array<std::uint64_t, 4>{100, 10, 70, 1'000});
  EXPECT_EQ(places.first(0), 0u);
  EXPECT_EQ(places.first(1), 128u);
  EXPECT_EQ(places.first(2), 0u);  // where the first was
  EXPECT_EQ(places.count(), 192u);
  places.set(std::array<std::uint64_t, 4>{100, 10, 200, 0});
  EXPECT_EQ(places.first(2), 192u);  // which is too small
  EXPECT_EQ(places.count(), 448u);
  places.set(std::array<std::uint64_t, 4>{0, 10, 0, 0});
  EXPECT_EQ(places.count(), 64u);
}

}  // namespace
}  // namespace vecc::test
