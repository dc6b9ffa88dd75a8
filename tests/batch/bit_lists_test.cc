// Lists that are made of bits.
#include "src/batch/bit_lists.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/random_source.h"

namespace vecc::test {
namespace {

using Numbers = std::vector<std::uint32_t>;

TEST(BitLists, have_a_number_for_each_bit) {
  std::vector<BitWord> words{{0, 1}, {64, ~std::uint64_t{0}}, {640, std::uint64_t{1} << 63}};
  RandomSource random(3);
  for (std::uint32_t w = 0; w < 50; ++w) {
    std::uint64_t bits = 0;
    for (std::uint32_t i = random.below(30) + 1; i > 0; --i) {
      bits |= std::uint64_t{1} << random.below(64);
    }
    words.push_back({1000 + w * 64, bits});
  }
  Numbers expected;
  for (const BitWord& word : words) {
    for (std::uint32_t i = 0; i < 64; ++i) {
      if ((word.bits >> i & 1) != 0) expected.push_back(word.base + i);
    }
  }
  Numbers found(expected.size() + 16);
  ASSERT_EQ(list_bits(words, found.data()), expected.size());
  found.resize(expected.size());
  EXPECT_EQ(found, expected);
}

std::vector<BitWord> words_of(const Numbers& members) {
  std::vector<BitWord> words;
  for (const std::uint32_t member : members) {
    const std::uint32_t base = member / 64 * 64;
    if (words.empty() || words.back().base != base) words.push_back({base, 0});
    words.back().bits |= std::uint64_t{1} << member % 64;
  }
  return words;
}

// Segments of 0 to `most` members, of which some are listed.
void check_rows(std::uint32_t fewest, std::uint32_t most, std::uint32_t seed) {
  RandomSource random(seed);
  Numbers offsets{0};
  for (int row = 0; row < 300; ++row) {
    offsets.push_back(offsets.back() + fewest + random.below(most - fewest + 1));
  }
  Numbers members;
  Numbers rows;
  Numbers begins;
  for (std::uint32_t row = 0; row + 1 < offsets.size(); ++row) {
    for (std::uint32_t m = offsets[row]; m < offsets[row + 1]; ++m) {
      if (random.below(3) != 0) continue;
      if (rows.empty() || rows.back() != row) {
        rows.push_back(row);
        begins.push_back(static_cast<std::uint32_t>(members.size()));
      }
      members.push_back(m);
    }
  }
  begins.push_back(static_cast<std::uint32_t>(members.size()));
  const MemberRows of(offsets);
  EXPECT_EQ(of.numbers_rows(), fewest > 0);
  Numbers found(rows.size() + 1);
  Numbers found_begins(rows.size() + 1);
  ASSERT_EQ(list_rows(members, of, found.data(), found_begins.data()), rows.size());
  found.pop_back();
  if (!of.numbers_rows()) {
    for (std::uint32_t& row : found) row = of.row(row);
  }
  EXPECT_EQ(found, rows);
  EXPECT_EQ(found_begins, begins);
  const std::vector<BitWord> words = words_of(members);
  found.resize(rows.size() + 1);
  ASSERT_EQ(list_rows(words, of, found.data()), rows.size());
  found.pop_back();
  if (!of.numbers_rows()) {
    for (std::uint32_t& row : found) row = of.row(row);
  }
  EXPECT_EQ(found, rows);
}

// Of every other of 300 rows of `size` members, each third member is kept.
void check_kept(std::uint32_t size) {
  Numbers offsets{0};
  Numbers rows;
  Numbers members;
  Numbers kept;
  Numbers begins;
  for (std::uint32_t row = 0; row < 300; ++row) {
    offsets.push_back(offsets.back() + size);
    if (row % 2 == 0) {
      rows.push_back(row);
      begins.push_back(static_cast<std::uint32_t>(kept.size()));
    }
    for (std::uint32_t m = offsets[row]; m < offsets[row + 1]; ++m) {
      if (m % 3 != 0) continue;
      members.push_back(m);
      if (row % 2 == 0) kept.push_back(m);
    }
  }
  begins.push_back(static_cast<std::uint32_t>(kept.size()));
  Numbers found_begins(begins.size());
  ASSERT_EQ(keep_members_of(rows, MemberRows(offsets), members, found_begins.data()), kept.size());
  members.resize(kept.size());
  EXPECT_EQ(members, kept);
  EXPECT_EQ(found_begins, begins);
}

TEST(BitLists, have_the_rows_of_members) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    check_rows(1, 5, seed);
    check_rows(0, 2, seed);
    check_rows(1, 200, seed);
  }
}

TEST(BitLists, have_the_members_of_some_rows) {
  for (const std::uint32_t size : {1, 2, 5, 64, 100}) check_kept(size);
}

}  // namespace
}  // namespace vecc::test
