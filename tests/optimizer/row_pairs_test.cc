// Sorting rows by pairs of numbers.
#include "optimizer/rewrite/row_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>

#include "src/support/list_threads.h"

namespace vecc::test {
namespace {

using Numbers = std::vector<std::uint32_t>;

Numbers compared_order(const Numbers& major, const Numbers& minor) {
  Numbers order(major.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {},
                    [&](std::uint32_t row) { return std::tuple(major[row], minor[row], row); });
  return order;
}

Numbers random_numbers(std::size_t count, std::uint32_t largest, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::uint32_t> number(0, largest);
  Numbers numbers(count);
  for (std::uint32_t& n : numbers) n = number(random);
  return numbers;
}

TEST(OrderOfPairs, no_rows) {
  EXPECT_TRUE(opt::order_of_pairs({}, {}).empty());
}

// Few rows are compared, many sorted by digits: of one digit, of two, and of all 32 bits.
TEST(OrderOfPairs, agrees_with_comparing) {
  for (const std::size_t count : {1, 2, 100, 511, 512, 5000}) {
    for (const std::uint32_t largest : {0u, 1u, 3000u, 0xFFFFFFFFu}) {
      const Numbers major = random_numbers(count, largest, 1);
      const Numbers minor = random_numbers(count, 70, 2);
      EXPECT_EQ(opt::order_of_pairs(major, minor), compared_order(major, minor)) << count;
      EXPECT_EQ(opt::order_of_pairs(minor, major), compared_order(minor, major)) << count;
    }
  }
}

// Pairs that are sorted already, by both sides or by the minor one alone, and lists that threads
// share.
TEST(OrderOfPairs, agrees_with_comparing_whatever_stands_in_order_and_for_any_number_of_threads) {
  for (const std::size_t count : {std::size_t{600}, std::size_t{1} << 17}) {
    const Numbers major = random_numbers(count, 4000, 3);
    const Numbers minor = random_numbers(count, 50000, 4);
    Numbers ascending = minor;
    std::ranges::sort(ascending);
    Numbers late = ascending;  // sorted but for its last number
    late.back() = 0;
    for (const std::uint32_t threads : {1, 2, 5}) {
      const ListThreads scope(threads);
      for (const auto& [a, b] : {std::pair(&major, &minor),
                                 {&major, &ascending},
                                 {&major, &late},
                                 {&ascending, &major},
                                 {&ascending, &ascending},
                                 {&late, &late}}) {
        EXPECT_EQ(opt::order_of_pairs(*a, *b), compared_order(*a, *b)) << count << " " << threads;
      }
    }
  }
}

}  // namespace
}  // namespace vecc::test
