// `draw`: Philox by its published vectors, its distribution, its text.
#include "src/function/draw.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "vecc/function.h"

namespace vecc {
namespace {

using Counter = std::array<std::uint32_t, 4>;

// The known answers of Random123 1.14.0, philox4x32 of 10 rounds.
TEST(Draw, PhiloxHasThePublishedVectors) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Draw, NumbersOfBlocksAreTheirWords) {
  const std::array<std::uint32_t, 2> key{0xa4093822, 0x299f31d0};
  for (const std::uint32_t first : {0u, 7u, ~0u - 3}) {
    for (std::size_t count = 0; count < 40; ++count) {
      std::vector<std::uint64_t> numbers(count + 1, 1);
      philox_numbers({5, ~0u, 0x13198a2e, first}, key, std::span(numbers).first(count));
      EXPECT_EQ(numbers[count], 1u) << "written behind " << count;
      for (std::size_t i = 0; i < count; ++i) {
        const Counter block =
            philox({5, ~0u, 0x13198a2e, first + static_cast<std::uint32_t>(i / 2)}, key);
        const std::size_t word = i % 2 * 2;
        EXPECT_EQ(numbers[i], std::uint64_t{block[word]} << 32 | block[word + 1])
            << count << ", number " << i;
      }
    }
  }
}

TEST(Draw, NumbersAreTheUpperBitsOfTheFirstWord) {
  const double zeros[kDrawWords] = {};
  EXPECT_EQ(draw_number(zeros), ((0x6627e8d5 >> 9) + 0.5) / 8388608);
  for (std::uint32_t i = 0; i < 10000; ++i) {
    const double words[kDrawWords] = {1, 2, 3, 4, i * 1.0, 5};
    const double drawn = draw_number(words);
    EXPECT_GT(drawn, 0);
    EXPECT_LT(drawn, 1);
    EXPECT_EQ(drawn, static_cast<float>(drawn));
  }
}

// Over each of the words alone: 64 bins of 64,000 numbers. Chi-square of 63 degrees of freedom is
// above 124 with probability below 1e-5; the numbers are always the same.
TEST(Draw, IsUniformOverEachWord) {
  for (std::size_t word = 0; word < kDrawWords; ++word) {
    std::array<double, 64> counts{};
    double words[kDrawWords] = {9, 8, 7, 6, 5, 4};
    for (int i = 0; i < 64000; ++i) {
      words[word] = i;
      ++counts[static_cast<std::size_t>(draw_number(words) * 64)];
    }
    double chi_square = 0;
    for (const double count : counts) chi_square += (count - 1000) * (count - 1000) / 1000;
    EXPECT_LT(chi_square, 124) << "word " << word;
    EXPECT_GT(chi_square, 20) << "word " << word;
  }
}

TEST(Draw, TextIsReadBack) {
  const std::string text = "elproduct($0, draw($1, $2, $3, 4, sum($5, 1), $6))";
  const auto expr = parse_expr(text, "test");
  ASSERT_TRUE(expr);
  EXPECT_EQ(expr->text(), text);
  EXPECT_EQ(expr->input_count(), 7u);
}

TEST(Draw, OtherThanSixOperandsAreRefused) {
  const auto few = parse_expr("draw($0, $1)", "test");
  ASSERT_FALSE(few);
  EXPECT_EQ(few.error().list().front().message, "draw has 2 operands, expected 6");
  EXPECT_FALSE(parse_expr("draw($0)", "test"));
  EXPECT_FALSE(parse_expr("draw[3]($0, $1, $2, $3, $4, $5)", "test"));
  Expr odd = *parse_expr("draw($0, $1, $2, $3, $4, $5)", "test");
  odd.nodes.back().arity = 2;
  EXPECT_FALSE(check_expr(odd, "test"));
}

TEST(Draw, ShapesAreThoseOfASum) {
  const Shape column = Shape::column(3);
  const Shape words[] = {Shape(), Shape(), Shape(), Shape(), Shape(), column};
  EXPECT_EQ(*drawn_shape(words, "test"), column);
  const Shape odd[] = {Shape(), Shape(), Shape(), Shape(), Shape::column(2), column};
  EXPECT_FALSE(drawn_shape(odd, "test"));
}

}  // namespace
}  // namespace vecc
