#include "optimizer/rewrite/pair_table.h"

#include <gtest/gtest.h>

namespace vecc::test {
namespace {

TEST(PairTable, numbers_pairs_in_the_order_in_which_they_come) {
  opt::PairTable pairs;
  EXPECT_EQ(pairs.number(5, 7), 0u);
  EXPECT_EQ(pairs.number(7, 5), 1u);
  EXPECT_EQ(pairs.number(5, 7), 0u);
  EXPECT_EQ(pairs.size(), 2u);
}

TEST(PairTable, numbers_the_same_in_batches_as_one_at_a_time) {
  constexpr std::uint32_t kPairs = 100000;
  const auto left = [](std::uint32_t i) { return i * 7919 % 331; };
  const auto right = [](std::uint32_t i) { return i * 104729 % 1009; };
  opt::PairTable one_at_a_time;
  opt::PairTable batches;
  std::uint32_t next = 0;
  batches.number_all(kPairs, left, right, [&](std::uint32_t i, std::uint32_t number) {
    ASSERT_EQ(i, next++);
    ASSERT_EQ(number, one_at_a_time.number(left(i), right(i)));
  });
  EXPECT_EQ(next, kPairs);
  EXPECT_EQ(batches.size(), one_at_a_time.size());
}

}  // namespace
}  // namespace vecc::test
