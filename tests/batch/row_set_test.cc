#include "src/batch/row_set.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/random_source.h"

namespace vecc::test {
namespace {

std::vector<std::uint64_t> rows_in(const RowSet& set, std::uint64_t first, std::uint64_t end) {
  std::vector<std::uint64_t> rows;
  set.for_each(first, end, [&](std::uint64_t row) { rows.push_back(row); });
  return rows;
}

TEST(RowSet, has_what_was_inserted_in_rising_order) {
  RandomSource random(5);
  for (const std::uint32_t count : {1u, 63u, 64u, 65u, 4095u, 4096u, 4097u, 20000u}) {
    RowSet set(count);
    for (int round = 0; round < 5; ++round) {
      std::set<std::uint64_t> expected;
      for (int i = 0; i < 40; ++i) expected.insert(random.below(count));
      for (const std::uint64_t row : expected) set.insert(row);
      for (int range = 0; range < 20; ++range) {
        const std::uint64_t first = random.below(count);
        const std::uint64_t end =
            first + random.below(static_cast<std::uint32_t>(count - first + 1));
        const std::vector<std::uint64_t> of_range(expected.lower_bound(first),
                                                  expected.lower_bound(end));
        EXPECT_EQ(rows_in(set, first, end), of_range);
      }
      EXPECT_FALSE(set.empty());
      EXPECT_TRUE(set.contains(*expected.begin()));
      set.clear();
      EXPECT_TRUE(set.empty());
      EXPECT_EQ(rows_in(set, 0, count).size(), 0u);
    }
  }
}

TEST(RowSet, ranges) {
  RowSet set(300);
  set.insert(60, 200);
  EXPECT_EQ(rows_in(set, 0, 300).size(), 200u);
  EXPECT_EQ(rows_in(set, 259, 300), std::vector<std::uint64_t>{259});
}

}  // namespace
}  // namespace vecc::test
