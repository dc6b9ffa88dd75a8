// Long blocks, which the threads of a scope write and read in pieces.
#include "backends/cpu/native_block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "src/support/list_threads.h"

namespace vecc::test {
namespace {

using cpu::NativeBlock;

class LongBlock : public ::testing::TestWithParam<DType> {
 protected:
  static constexpr std::size_t kElements =
      (std::size_t{1} << 21) + 5;  // some pieces, the last one short
  static constexpr std::size_t kFirst = 7;

  static std::vector<double> numbers() {
    std::vector<double> numbers(kElements);
    std::iota(numbers.begin(), numbers.end(), 1.0);  // floats have them all
    return numbers;
  }
};

TEST_P(LongBlock, has_what_was_written_and_nothing_beside_it) {
  const std::vector<double> written = numbers();
  for (const std::uint32_t threads : {1, 3}) {
    const ListThreads scope(threads);
    const NativeBlock block(GetParam(), kElements + 2 * kFirst);
    block.fill(-1);
    block.write(written, kFirst);
    std::vector<double> read;
    block.read(0, kElements + 2 * kFirst, read);
    ASSERT_EQ(read.size(), kElements + 2 * kFirst);
    EXPECT_EQ(std::ranges::count(std::span(read).first(kFirst), -1), kFirst);
    EXPECT_EQ(std::ranges::count(std::span(read).last(kFirst), -1), kFirst);
    EXPECT_TRUE(std::ranges::equal(std::span(read).subspan(kFirst, kElements), written));
    block.read(kFirst, 3, read);  // behind what is there
    ASSERT_EQ(read.size(), kElements + 2 * kFirst + 3);
    EXPECT_EQ(read.back(), 3);
    std::vector<float> floats(kElements);
    std::vector<double> doubles(kElements);
    block.copy(kFirst, std::span(floats));
    block.copy(kFirst, std::span(doubles));
    EXPECT_TRUE(std::ranges::equal(floats, written));
    EXPECT_TRUE(std::ranges::equal(doubles, written));
  }
}

INSTANTIATE_TEST_SUITE_P(types, LongBlock, ::testing::Values(DType::F32, DType::F64));

}  // namespace
}  // namespace vecc::test
