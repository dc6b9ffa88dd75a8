// Gradients: the border of differentiate() and gradient(), kinks, values that many read. What each
// op and function passes on is tested with its values (program_check.h).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/backends/gradient_check.h"
#include "tests/backends/program_check.h"
#include "tests/program/recursive_levels.h"
#include "tests/program/value_in_parts.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

Program parse_or_fail(const std::string& text) {
  auto program = parse_program("vecc program 1 f64 " + text, "test");
  EXPECT_TRUE(program) << program.error().text();
  return program ? std::move(*program) : Program();
}

Program squares() {
  return parse_or_fail(R"(samples 2
parameter "w" [2, 1] = {3, 4}
parameter "unread" [1, 2x1] = {1, 1}
%0 = weight "w" : f64[2, 1]
%1 = linear %0, %0 : f64[2, 1]
%2 = output %1 [1, 0] : f64[2, 1])");
}

TEST(Gradients, OutputGradientsAreInSampleOrder) {
  const auto executable = compile_tested_gradients(squares());
  ASSERT_NE(executable, nullptr);
  ASSERT_TRUE(executable->run());
  ASSERT_TRUE(executable->differentiate(std::vector<double>{10, 1}));
  EXPECT_EQ(executable->gradient(0).value(), (std::vector<double>{6, 80}));
  EXPECT_EQ(executable->gradient(1).value(), (std::vector<double>{0, 0}));
}

TEST(Gradients, EveryDifferentiateBeginsAnew) {
  const auto executable = compile_tested_gradients(squares());
  ASSERT_NE(executable, nullptr);
  ASSERT_TRUE(executable->run());
  ASSERT_TRUE(executable->differentiate(std::vector<double>{1, 1}));
  ASSERT_TRUE(executable->differentiate(std::vector<double>{0, 1}));
  EXPECT_EQ(executable->gradient(0).value(), (std::vector<double>{6, 0}));
  ASSERT_TRUE(executable->differentiate(std::vector<double>{1, 1}));
  EXPECT_EQ(executable->gradient(0).value(), (std::vector<double>{6, 8}));
}

TEST(Gradients, FollowTheLastRun) {
  const auto executable = compile_tested_gradients(squares());
  ASSERT_NE(executable, nullptr);
  ASSERT_TRUE(executable->run());
  ASSERT_TRUE(executable->set_parameter(0, std::vector<double>{1, 2}));
  ASSERT_TRUE(executable->run());
  ASSERT_TRUE(executable->differentiate(std::vector<double>{1, 1}));
  EXPECT_EQ(executable->gradient(0).value(), (std::vector<double>{2, 4}));
}

TEST(Gradients, bad_usage) {
  const std::string name(tested_ways().front().backend->name());
  const std::vector<double> ones(2, 1.0);
  const auto without = compile_tested(squares());
  ASSERT_NE(without, nullptr);
  ASSERT_TRUE(without->run());
  EXPECT_EQ(without->differentiate(ones).error().text(),
            name + ": error: differentiate: the Program was compiled without gradients [E050]");

  const auto executable = compile_tested_gradients(squares());
  ASSERT_NE(executable, nullptr);
  const std::string not_run =
      name +
      ": error: differentiate: no run since the Program was compiled or a parameter was set [E050]";
  const std::string no_gradient =
      name + ": error: gradient: no differentiate() since the last run [E050]";
  EXPECT_EQ(executable->differentiate(ones).error().text(), not_run);
  ASSERT_TRUE(executable->run());
  EXPECT_EQ(executable->gradient(0).error().text(), no_gradient);
  EXPECT_EQ(executable->differentiate(std::vector<double>(3)).error().text(),
            "output gradients: error: 3 numbers, expected 2: one an element of every sample's "
            "output [E050]");
  ASSERT_TRUE(executable->differentiate(ones));
  ASSERT_TRUE(executable->set_parameter(0, ones));
  EXPECT_EQ(executable->differentiate(ones).error().text(), not_run);
  ASSERT_TRUE(executable->run());
  EXPECT_EQ(executable->gradient(0).error().text(), no_gradient);
}

TEST(Gradients, OutputsThatAreParametersFactsOrTheSame) {
  expect_gradient_agreement(parse_or_fail(R"(samples 9
parameter "w" [2, 1] = {3, 4}
%0 = weight "w" : f64[2, 1]
%1 = fact {1} : f64[1, 1]
%2 = output %0 [1, 0] : f64[2, 1]
%3 = output %1 [2] : f64[1, 1]
%4 = transform %0 signum : f64[2, 1]
%5 = output %4 [3:5] : f64[2, 1]
%6 = transform %0 square : f64[2, 1]
%7 = output %6 [5:7] : f64[2, 1]
%8 = output %6 [8, 7] : f64[2, 1])"));
}

TEST(Gradients, NothingToLearn) {
  expect_gradient_agreement(parse_or_fail(R"(samples 1
%0 = fact {1} : f64[1, 1]
%1 = output %0 [0:1] : f64[1, 1])"));
}

// At kinks, where values are clamped, and where a derivative is infinite.
TEST(Gradients, ElementwiseKinks) {
  const std::vector<double> points = {0, -0.0, 1e-300, 99, 101, -99, -101, 1e5, -1e5};
  for (const TransformationInfo& about : transformations()) {
    if (about.domain != FunctionDomain::Elementwise) continue;
    SCOPED_TRACE(about.text);
    Program program(DType::F64);
    const auto values = SharedNumbers::of(points);
    const auto rows = static_cast<std::uint32_t>(points.size());
    const ValueId w = program.weight(*program.add_parameter({"w", rows, Shape(), values}));
    const ValueId y = program.transform(w, {.id = about.id, .target = {}});
    // Its gradient is zero in half of the rows.
    const ValueId part = program.gather(y, Index::stride(1, 2, rows / 2));
    program.set_sample_count(rows + rows / 2);
    program.output(y, Index::slice(0, rows));
    program.output(part, Index::slice(rows, rows / 2));
    expect_gradient_agreement(program);
  }
}

// No gradient reaches the square root of 0, the logarithm of 0 and the inverse of 0.
TEST(Gradients, RowsWithoutGradientPassNothingOn) {
  for (const std::string function : {"sqrt", "log", "inverse"}) {
    const auto executable = compile_tested_gradients(parse_or_fail(R"(samples 1
parameter "w" [2, 1] = {0, 4}
%0 = weight "w" : f64[2, 1]
%1 = transform %0 )" + function + R"( : f64[2, 1]
%2 = gather %1 [1:2] : f64[1, 1]
%3 = output %2 [0:1] : f64[1, 1])"));
    ASSERT_NE(executable, nullptr);
    ASSERT_TRUE(executable->run());
    ASSERT_TRUE(executable->differentiate(std::vector<double>{1}));
    EXPECT_EQ(executable->gradient(0).value()[0], 0) << function;
    EXPECT_NE(executable->gradient(0).value()[1], 0) << function;
  }
}

// Products with one, two and no zeros: no division.
TEST(Gradients, ProductsWithZeros) {
  for (const std::string segments : {"[0, 3, 6, 9]", "[fixed 3 dim 2]", "[fixed 3 dim 1]"}) {
    expect_gradient_agreement(parse_or_fail(R"(samples 3
parameter "w" [9, 2x1] = {0, 2, 0, 3, 4, 5, 0, 1e-200, 2, 1e-200, 3, 4, 2, 3, 0, 0, 0, 1}
%0 = weight "w" : f64[9, 2x1]
%1 = segment %0 )" + segments + R"( elproduct : f64[3, 2x1]
%2 = output %1 [0:3] : f64[3, 2x1])"));
  }
  const auto executable = compile_tested_gradients(parse_or_fail(R"(samples 1
parameter "w" [3, 1] = {1e-200, 1e-200, 5}
%0 = weight "w" : f64[3, 1]
%1 = segment %0 [0, 3] elproduct : f64[1, 1]
%2 = output %1 [0:1] : f64[1, 1])"));
  ASSERT_NE(executable, nullptr);
  ASSERT_TRUE(executable->run());
  ASSERT_TRUE(executable->differentiate(std::vector<double>{1}));
  EXPECT_EQ(executable->gradient(0).value()[0], 1e-200 * 5);  // though the product of all is 0
}

TEST(Gradients, TiesGoToTheFirstMember) {
  for (const std::string segments : {"[0, 3]", "[fixed 3 dim 2]"}) {
    const auto executable = compile_tested_gradients(parse_or_fail(R"(samples 1
parameter "w" [3, 2x1] = {1, 2, 2, 1, 0, 3}
%0 = weight "w" : f64[3, 2x1]
%1 = segment %0 )" + segments + R"( max : f64[1, 2x1]
%2 = output %1 [0:1] : f64[1, 2x1])"));
    ASSERT_NE(executable, nullptr);
    ASSERT_TRUE(executable->run());
    ASSERT_TRUE(executable->differentiate(std::vector<double>{5, 7}));
    EXPECT_EQ(executable->gradient(0).value(), (std::vector<double>{5, 7, 0, 0, 0, 0}));
  }
}

// One value read in parts of every kind, twice, and as a whole.
TEST(Gradients, ReadInParts) {
  expect_gradient_agreement(parse_or_fail(kValueInParts));
}

TEST(Gradients, OfARecursion) {
  for (const std::uint32_t levels : {1u, 2u, 3u, 40u}) {
    expect_gradient_agreement(recursive_program(levels, /*learns=*/true));
  }
}

// A concat read by two continuations, one in its buffer, one copied, and by a function.
TEST(Gradients, OfBranchingConcats) {
  expect_gradient_agreement(parse_or_fail(R"(samples 15
parameter "w" [2, 1] = {0.5, 2}
%0 = weight "w" : f64[2, 1]
%1 = fact {3} : f64[1, 1]
%2 = concat %1, %0, %1 : f64[4, 1]
%3 = concat %2, %1, %0, %0 : f64[9, 1]
%4 = concat %2, %0 : f64[6, 1]
%5 = transform %2 square : f64[4, 1]
%6 = gather %5 [0:4:3] : f64[2, 1]
%7 = linear %6, %0 : f64[2, 1]
%8 = concat %4, %7 : f64[8, 1]
%9 = gather %8 [7, 1, 5, 4, 6, 0] : f64[6, 1]
%10 = output %3 [0:9] : f64[9, 1]
%11 = output %9 [9:15] : f64[6, 1])"));
}

// Rows times one of three matrices each, added up.
Program shared_matrices(Shape shape, DType dtype) {
  constexpr std::uint32_t kRows = 700;
  constexpr std::uint32_t kTypes = 3;
  Program program(dtype);
  const auto values =
      SharedNumbers::of(random_values(std::size_t{kTypes} * shape.size(), 11, 0, 1));
  const auto weight = program.add_parameter({"w", kTypes, shape, values});
  EXPECT_TRUE(weight);
  std::vector<std::uint32_t> types(kRows);
  for (std::uint32_t r = 0; r < kRows; ++r) types[r] = r < 10 ? 2 : r * 7 % 2;
  const ValueId matrices = program.gather(program.weight(*weight), Index::compact(types));
  const ValueId columns = random_fact(program, kRows, Shape::column(shape.cols()), 12, 0, 1);
  const auto products = program.add(LinearOp{}, {matrices, columns});
  EXPECT_TRUE(products);
  const auto sum = program.add(SegmentOp{Segments::fixed(kRows), Combination::Sum}, {*products});
  EXPECT_TRUE(sum);
  program.set_sample_count(1);
  program.output(*sum, Index::slice(0, 1));
  return program;
}

// Matrices that many rows share: their gradients are sums of outer products, in tiles where they
// fit, and of many rows in pieces.
TEST(Gradients, OfSharedMatrices) {
  for (const Shape shape : {Shape(33, 40), Shape(64, 64), Shape(17, 70), Shape(150, 9)}) {
    for (const DType dtype : {DType::F64, DType::F32}) {
      expect_gradient_agreement(shared_matrices(shape, dtype));
    }
  }
}

// Nothing may recur through the levels.
TEST(Gradients, OfADeepRecursion) {
  const Program program = recursive_program(8000, /*learns=*/true);
  const auto executable = compile_tested_gradients(program);
  ASSERT_NE(executable, nullptr);
  ASSERT_TRUE(executable->run());
  ASSERT_TRUE(executable->differentiate(std::vector<double>(program.sample_count() * 2UL, 1.0)));
  for (const double g : executable->gradient(0).value()) EXPECT_TRUE(std::isfinite(g));
  ASSERT_TRUE(executable->run());
}

}  // namespace
}  // namespace vecc::test
