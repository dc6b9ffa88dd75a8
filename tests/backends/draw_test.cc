// `draw` in maps: the interpreter's numbers to the bit, in both dtypes, and a gradient of 0.
#include "src/function/draw.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/backends/program_check.h"

namespace vecc::test {
namespace {

std::vector<double> counted(std::uint32_t count, double first) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

// Key and step one row for all, a row's number, an element's.
std::vector<ValueId> add_words(Program& p, std::uint32_t rows, std::uint32_t size) {
  const Shape shape = size == 1 ? Shape::scalar() : Shape::column(size);
  return {p.fact({16777215}, 1, Shape::scalar()),  p.fact({77}, 1, Shape::scalar()),
          p.fact({3}, 1, Shape::scalar()),         p.fact({1}, 1, Shape::scalar()),
          p.fact(counted(rows, 5), rows, Shape()), p.fact(counted(size, 0), 1, shape)};
}

TEST(Draw, AgreesAndPassesNoGradient) {
  for (const std::uint32_t size : {1u, 5u, 64u}) {
    expect_agreement("draw " + std::to_string(size), [&](Program& p) {
      std::vector<ValueId> operands = add_words(p, 37, size);
      p.map(*parse_expr("draw($0, $1, $2, $3, $4, $5)", "test"), operands);
      operands.push_back(random_fact(p, 37, size == 1 ? Shape() : Shape::column(size), 3));
      const char* kept = "elproduct($6, signum(sum(draw($0, $1, $2, $3, $4, $5), -0.25)), 1.5)";
      const ValueId result = p.map(*parse_expr(kept, "test"), operands);
      p.set_sample_count(37);
      p.output(result, Index::slice(0, 37));
    });
  }
}

TEST(Draw, HasTheSameBitsEverywhere) {
  for (const DType dtype : {DType::F32, DType::F64}) {
    Program p(dtype);
    const ValueId drawn =
        p.map(*parse_expr("draw($0, $1, $2, $3, $4, $5)", "test"), add_words(p, 50, 7));
    p.set_sample_count(50);
    p.output(drawn, Index::slice(0, 50));
    const auto executable = compile_tested(p, /*keep_values=*/false);
    ASSERT_NE(executable, nullptr);
    ASSERT_TRUE(executable->run());
    const auto outputs = executable->outputs();
    ASSERT_TRUE(outputs);
    for (std::uint32_t row = 0; row < 50; ++row) {
      for (std::uint32_t i = 0; i < 7; ++i) {
        const double words[] = {16777215, 77, 3, 1, row + 5.0, static_cast<double>(i)};
        EXPECT_EQ((*outputs)[row].value[i], draw_number(words)) << row << " " << i;
      }
    }
  }
}

// What is no whole number below 2^32 is taken as one.
TEST(Draw, TakesAnyNumbers) {
  expect_agreement("draw of odd words", [](Program& p) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    const ValueId odd =
        p.fact({-1, 0.75, 1e30, nan, infinity, -infinity, 4294967296.0, 2.5}, 8, Shape::scalar());
    const ValueId one = p.fact({1}, 1, Shape::scalar());
    const std::vector<ValueId> words{odd, one, odd, one, odd, odd};
    const ValueId drawn = p.map(*parse_expr("draw($0, $1, $2, $3, $4, $5)", "test"), words);
    p.set_sample_count(8);
    p.output(drawn, Index::slice(0, 8));
  });
}

}  // namespace
}  // namespace vecc::test
