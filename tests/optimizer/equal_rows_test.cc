#include "optimizer/rewrite/equal_rows.h"

#include <gtest/gtest.h>

#include <map>

#include "src/support/list_threads.h"

namespace vecc::test {
namespace {

// By row: the first row of the same number, by definition.
std::vector<std::uint32_t> first_of(const std::vector<std::uint32_t>& numbers) {
  std::map<std::uint32_t, std::uint32_t> first;
  std::vector<std::uint32_t> result;
  for (std::uint32_t row = 0; row < numbers.size(); ++row) {
    result.push_back(first.try_emplace(numbers[row], row).first->second);
  }
  return result;
}

std::vector<std::uint32_t> numbers_below(std::uint32_t count, std::uint32_t below) {
  std::vector<std::uint32_t> numbers(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    numbers[i] = static_cast<std::uint32_t>(i * 0x9E3779B97F4A7C15ull >> 40) % below;
  }
  return numbers;
}

TEST(EqualRows, finds_the_first_of_each_for_any_count_and_number_of_threads) {
  for (const std::uint32_t count : {0u, 1u, 3u, 20000u, 300000u}) {
    for (const std::uint32_t below : {1u, 2u, 5000u, 1000000u}) {
      const std::vector<std::uint32_t> numbers = numbers_below(count, below);
      const std::vector<std::uint32_t> expected = first_of(numbers);
      for (const std::uint32_t threads : {1u, 3u}) {
        const ListThreads scope(threads);
        EXPECT_EQ(opt::EqualRows::find_pairs(
                      count, [&](std::uint32_t row) { return numbers[row] % 7; },
                      [&](std::uint32_t row) { return numbers[row] / 7; }),
                  expected)
            << count << " rows below " << below << ", " << threads << " threads";
      }
    }
  }
}

TEST(EqualRows, rows_of_one_hash_are_compared) {
  const std::vector<std::uint32_t> numbers = numbers_below(100000, 4);
  const ListThreads threads(2);
  EXPECT_EQ(opt::EqualRows::find(
                100000, [&](std::uint32_t row) { return std::uint64_t{numbers[row] % 2} << 63; },
                [&](std::uint32_t a, std::uint32_t b) { return numbers[a] == numbers[b]; }),
            first_of(numbers));
}

}  // namespace
}  // namespace vecc::test
