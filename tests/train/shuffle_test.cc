// The words that shuffles begin with are those of the standard's seed_seq.
#include "src/train/shuffle.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace vecc::test {
namespace {

using training::SeedWords;

TEST(SeedWords, are_those_of_the_standard) {
  for (const std::size_t count : {0, 1, 2, 3, 6, 7, 38, 39, 67, 68, 312, 622, 623, 624, 700}) {
    SCOPED_TRACE(count);
    std::vector<std::uint32_t> expected(count);
    std::vector<std::uint32_t> found(count, 5);
    std::seed_seq{7u, 0u, 0xffffffffu, 9u}.generate(expected.begin(), expected.end());
    SeedWords{7u, 0u, 0xffffffffu, 9u}.generate(found.begin(), found.end());
    EXPECT_EQ(found, expected);
    std::seed_seq{3u, 1u}.generate(expected.begin(), expected.end());
    SeedWords{3u, 1u}.generate(found.begin(), found.end());
    EXPECT_EQ(found, expected);
  }
}

TEST(Shuffle, draws_from_the_twister_that_begins_with_them) {
  std::vector<int> items{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<int> expected = items;
  training::shuffle_by({11u, 0u, 3u, 0u}, items);
  std::seed_seq words{11u, 0u, 3u, 0u};
  std::mt19937_64 random(words);
  for (std::size_t i = expected.size(); i > 1; --i) {
    std::swap(expected[i - 1], expected[random() % i]);
  }
  EXPECT_EQ(items, expected);
}

}  // namespace
}  // namespace vecc::test
