#include "optimizer/rewrite/pair_numbers.h"

#include <gtest/gtest.h>

#include "src/support/list_threads.h"

namespace vecc::test {
namespace {

using Pairs = std::vector<opt::PairNumbers::Pair>;

// Pieces of several lists, short and long, empty ones among them, as PairTable numbers their pairs
// one at a time.
TEST(PairNumbers, are_those_of_a_table_for_any_number_of_threads) {
  std::vector<std::vector<Pairs>> lists;
  std::uint32_t next = 0;
  for (const auto& sizes : {std::vector<std::size_t>{3, 0, 5}, {40000, 1, 30000}, {0}, {70000}}) {
    lists.emplace_back();
    for (const std::size_t size : sizes) {
      Pairs& piece = lists.back().emplace_back();
      for (std::size_t i = 0; i < size; ++i, ++next) {
        piece.emplace_back(next * 7919 % 331, next * 104729 % 1009);
      }
    }
  }
  for (const std::uint32_t threads : {1, 2, 5}) {
    const ListThreads scope(threads);
    opt::PairTable table;
    opt::PairNumbers numbers;
    for (const std::vector<Pairs>& list : lists) {
      const std::vector<std::span<const opt::PairNumbers::Pair>> pieces(list.begin(), list.end());
      const auto numbered = numbers.number_all(pieces);
      for (std::size_t p = 0; p < list.size(); ++p) {
        for (std::size_t i = 0; i < list[p].size(); ++i) {
          const auto [left, right] = list[p][i];
          const std::uint32_t number = table.number(left, right);
          ASSERT_EQ(numbered.numbers[numbered.begins[p] + i], number) << threads;
          ASSERT_EQ(numbers.left()[number], left);
          ASSERT_EQ(numbers.right()[number], right);
        }
        EXPECT_EQ(numbered.sizes[p], table.size());
      }
    }
    EXPECT_EQ(numbers.size(), table.size());
  }
}

}  // namespace
}  // namespace vecc::test
