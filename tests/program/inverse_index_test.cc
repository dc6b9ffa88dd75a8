// Inverse indices: readers by row, in order, for every form of an index.
#include "src/program/inverse_index.h"

#include <gtest/gtest.h>

#include "vecc/error.h"

namespace vecc::test {
namespace {

using Numbers = std::vector<std::uint32_t>;

// As its definition says, one row after another.
InverseIndex naive_inverse(const Index& index, std::uint32_t rows) {
  InverseIndex inverse{{0}, {}};
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::uint32_t i = 0; i < index.size(); ++i) {
      if (index[i] == row) inverse.readers.push_back(i);
    }
    inverse.offsets.push_back(static_cast<std::uint32_t>(inverse.readers.size()));
  }
  return inverse;
}

TEST(InverseIndex, ReadersByRowInOrder) {
  const InverseIndex inverse = inverse_index(Index::list({2, 0, 2, 2, 4}), 6);
  EXPECT_EQ(inverse.offsets, (Numbers{0, 1, 1, 4, 4, 5, 5}));
  EXPECT_EQ(inverse.readers, (Numbers{1, 0, 2, 3, 4}));
}

TEST(InverseIndex, EveryForm) {
  for (const Index& index :
       {Index::slice(2, 5), Index::stride(1, 3, 3), Index::repeat(4, 3), Index::interleave(4, 3),
        Index::list({8, 0, 0, 3, 8}), Index::list({}), Index::slice(0, 0)}) {
    const InverseIndex inverse = inverse_index(index, 9);
    const InverseIndex expected = naive_inverse(index, 9);
    EXPECT_EQ(inverse.offsets, expected.offsets);
    EXPECT_EQ(inverse.readers, expected.readers);
  }
}

TEST(InverseIndex, NoRows) {
  const InverseIndex inverse = inverse_index(std::span<const std::uint32_t>(), 0);
  EXPECT_EQ(inverse.offsets, Numbers{0});
  EXPECT_TRUE(inverse.readers.empty());
}

TEST(InverseIndex, OfAPermutationIsItsInverse) {
  Numbers permutation(1000);
  for (std::uint32_t i = 0; i < 1000; ++i) permutation[i] = (i * 389 + 17) % 1000;
  const InverseIndex inverse = inverse_index(permutation, 1000);
  for (std::uint32_t i = 0; i < 1000; ++i) EXPECT_EQ(permutation[inverse.readers[i]], i);
}

TEST(InverseIndex, RefusesAnIndexThatDoesNotFit) {
  EXPECT_THROW(static_cast<void>(inverse_index(Index::list({0, 3}), 3)), InternalError);
}

}  // namespace
}  // namespace vecc::test
