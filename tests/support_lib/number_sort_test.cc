// Rows by their numbers, against the standard library's stable sort.
#include "src/support/number_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/support/random_source.h"

namespace vecc::test {
namespace {

using Numbers = std::vector<std::uint32_t>;

Numbers random_numbers(std::size_t count, std::uint32_t bound) {
  RandomSource random(count + bound);
  Numbers numbers(count);
  for (std::uint32_t& number : numbers) number = static_cast<std::uint32_t>(random.below(bound));
  return numbers;
}

void expect_sorted(const Numbers& numbers, std::uint32_t bound, std::uint32_t threads) {
  ThreadTeam team(threads);
  const std::size_t rows = numbers.size();
  Numbers expected(rows);
  std::iota(expected.begin(), expected.end(), 0u);
  std::ranges::stable_sort(expected, {}, [&](std::uint32_t row) { return numbers[row]; });
  Numbers order(rows);
  Numbers scratch(sorting_scratch(rows));
  sort_by_number(numbers, order.data(), scratch.data(), team);
  ASSERT_EQ(order, expected);

  Numbers distinct = numbers;
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  Numbers ranks(rows);
  const std::size_t most = std::min<std::size_t>(rows, bound);
  Numbers offsets(most + 1);
  rank_by_number(numbers, order.data(), ranks.data(), offsets, scratch.data(), team);
  for (std::size_t row = 0; row < rows; ++row) ASSERT_EQ(distinct[ranks[row]], numbers[row]);
  for (std::size_t rank = 0; rank <= most; ++rank) {
    if (rank >= distinct.size()) {
      ASSERT_EQ(offsets[rank], rows);
    } else {
      ASSERT_EQ(numbers[order[offsets[rank]]], distinct[rank]);
      ASSERT_TRUE(offsets[rank] == 0 || numbers[order[offsets[rank] - 1]] < distinct[rank]);
    }
  }
  if (bound > 1000000) return;
  Numbers begins(bound + 1);
  find_numbers(numbers, order.data(), begins.data(), bound, team);
  for (std::uint32_t number = 0; number <= bound; ++number) {
    const auto below = std::ranges::lower_bound(order, number, {},
                                                [&](std::uint32_t row) { return numbers[row]; });
    ASSERT_EQ(begins[number], static_cast<std::uint32_t>(below - order.begin())) << number;
  }
}

TEST(NumberSort, IsStableForAnyNumberOfThreads) {
  for (const std::size_t rows : {0u, 1u, 2u, 1000u, 32768u, 200001u}) {
    for (const std::uint32_t bound : {1u, 3u, 256u, 257u, 70000u, 0xFFFFFFFFu}) {
      const Numbers numbers = random_numbers(rows, bound);
      for (const std::uint32_t threads : {1u, 2u, 5u}) {
        SCOPED_TRACE(std::to_string(rows) + " below " + std::to_string(bound));
        expect_sorted(numbers, bound, threads);
      }
    }
  }
}

}  // namespace
}  // namespace vecc::test
