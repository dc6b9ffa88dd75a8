// A case worked out by hand for every transformation of functions.def.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "tests/function/function_case.h"
#include "tests/support/elementwise_cases.h"

namespace vecc::test {
namespace {

struct TransformationCase {
  TransformationSpec spec;
  std::vector<std::uint32_t> words;
  Value x;
  Value y;
};

TransformationSpec to_shape(Transformation id, Shape target) {
  TransformationSpec spec = spec_of(id);
  spec.target = target;
  return spec;
}

std::vector<TransformationCase> elementwise_transformation_cases() {
  using enum Transformation;
  return {
      {spec_of(Identity), {}, row({-1, 2}), row({-1, 2})},
      {spec_of(Sigmoid), {}, column({0, kLn3, -kLn3}), column({0.5, 0.75, 0.25})},
      // Beyond +-100 exactly 1 and 0; just inside still e^-100.
      {spec_of(Sigmoid), {}, column({100.5, -100.5, 1e300}), column({1, 0, 1})},
      {spec_of(Sigmoid), {}, scalar(kNan), scalar(kNan)},
      {spec_of(Tanh), {}, column({0, kLn2, -kLn2}), column({0, 0.6, -0.6})},
      {spec_of(Signum), {}, row({-2, 0, 1e-300}), row({0, 0, 1})},
      {spec_of(Relu), {}, matrix(2, 2, {-1, 2, 0, -kInf}), matrix(2, 2, {0, 2, 0, 0})},
      {spec_of(Relu), {}, scalar(kNan), scalar(kNan)},
      {spec_of(LeakyRelu), {}, column({-2, 3}), column({-0.02, 3})},
      {leaky(0.2), {}, column({-2, 3}), column({-0.4, 3})},
      // -6x - 0.5 = 0 at x = -1/12; = -ln 3 at x = (ln 3 - 0.5) / 6.
      {spec_of(Lukasiewicz), {}, column({-1.0 / 12, (kLn3 - 0.5) / 6}), column({0.5, 0.75})},
      {spec_of(Exp), {}, column({0, 1, kLn2}), column({1, kE, 2})},
      {spec_of(Log), {}, column({1, kE, 2}), column({0, 1, kLn2})},
      {spec_of(Log), {}, column({0, -1}), column({-kInf, kNan})},
      {spec_of(Sqrt), {}, row({0, 4, 2.25}), row({0, 2, 1.5})},
      {spec_of(Sqrt), {}, scalar(-1), scalar(kNan)},
      {spec_of(Inverse), {}, row({2, -4}), row({0.5, -0.25})},
      {spec_of(Reverse), {}, matrix(2, 2, {0, 1, 3, -1}), matrix(2, 2, {1, 0, -2, 2})},
      // Phi(1) = 0.8413447460685429...
      {spec_of(Gelu), {}, row({0, 1, -1}), row({0, 0.8413447460685429, -0.15865525393145707})},
      {spec_of(Abs), {}, row({-3, 0, 2}), row({3, 0, 2})},
      {spec_of(Square), {}, row({-3, 0.5}), row({9, 0.25})},
  };
}

std::vector<TransformationCase> shaped_transformation_cases() {
  using enum Transformation;
  const Value m = matrix(2, 3, {1, 2, 3, 4, 5, 6});
  const double d = std::sqrt(1 + 1e-10);  // of {-1, 1}: mean 0, variance 1
  return {
      {spec_of(Transp), {}, m, matrix(3, 2, {1, 4, 2, 5, 3, 6})},
      {spec_of(Transp), {}, column({1, 2}), row({1, 2})},
      {spec_of(Transp), {}, scalar(7), scalar(7)},
      {spec_of(Norm), {}, column({-1, 1}), column({-1 / d, 1 / d})},
      {spec_of(Norm), {}, row({4, 6}), row({-1 / d, 1 / d})},
      {spec_of(Norm),
       {},
       matrix(2, 2, {-1, -1, 1, 1}),
       matrix(2, 2, {-1 / d, -1 / d, 1 / d, 1 / d})},
      {spec_of(Norm), {}, column({5, 5}), column({0, 0})},
      {spec_of(Softmax), {}, column({0, kLn3}), column({0.25, 0.75})},
      {spec_of(Softmax), {}, row({kLn2, kLn2}), column({0.5, 0.5})},
      {spec_of(Softmax), {}, row({1000, 1000 + kLn3}), column({0.25, 0.75})},
      // Support {0.9, 0.5}, threshold (1.4 - 1) / 2; then a support of one; then of all.
      {spec_of(Sparsemax), {}, row({0.5, 0.9, -1}), column({0.3, 0.7, 0})},
      {spec_of(Sparsemax), {}, column({5, 1}), column({1, 0})},
      {spec_of(Sparsemax), {}, column({2, 2, 2, 2}), column({0.25, 0.25, 0.25, 0.25})},
      {spec_of(Sparsemax), {}, column({1e20, 0}), column({1, 0})},
      {spec_of(Sparsemax), {}, column({1, kNan, 2}), column({kNan, kNan, kNan})},
      {spec_of(LogSoftmax), {}, column({0, kLn3}), column({-2 * kLn2, kLn3 - 2 * kLn2})},
      {spec_of(LogSoftmax), {}, row({1000, 1000}), column({-kLn2, -kLn2})},
      {spec_of(LogSoftmax), {}, column({1000, -1000}), column({0, -2000})},
      {spec_of(Slice), {1, 3, 0, kToEnd}, column({1, 2, 3, 4}), column({2, 3})},
      {spec_of(Slice), {0, kToEnd, 1, 2}, row({1, 2, 3}), matrix(1, 1, {2})},
      {spec_of(Slice), {0, 2, 1, kToEnd}, m, matrix(2, 2, {2, 3, 5, 6})},
      {spec_of(Slice), {1, 2, 0, 3}, m, row({4, 5, 6})},
      {to_shape(Reshape, Shape(3, 2)), {}, m, matrix(3, 2, {1, 2, 3, 4, 5, 6})},
      {to_shape(Reshape, Shape::column(6)), {}, m, column({1, 2, 3, 4, 5, 6})},
      {to_shape(Reshape, Shape()), {}, column({3}), scalar(3)},
      {to_shape(Reshape, Shape(1, 1)), {}, scalar(3), matrix(1, 1, {3})},
      {spec_of(AtIndex), {2}, column({7, 8, 9}), scalar(9)},
      {spec_of(AtIndex), {4}, m, scalar(5)},
      {spec_of(AtIndex), {0}, scalar(7), scalar(7)},
      {to_shape(Broadcast, Shape(2, 2)), {}, scalar(3), matrix(2, 2, {3, 3, 3, 3})},
      {to_shape(Broadcast, Shape(1, 2)), {}, row({3, 4}), row({3, 4})},
  };
}

std::vector<TransformationCase> all_transformation_cases() {
  std::vector<TransformationCase> cases = elementwise_transformation_cases();
  for (TransformationCase& c : shaped_transformation_cases()) cases.push_back(std::move(c));
  for (const ElementwiseCase& c : elementwise_cases()) {
    cases.push_back({spec_of(c.function), {}, scalar(c.x), scalar(c.y)});
  }
  return cases;
}

TEST(Transformations, ByHand) {
  for (const TransformationCase& c : all_transformation_cases()) {
    expect_value(apply(c.spec, c.words, c.x), c.y, text_of(c.spec) + " of " + c.x.shape.text());
  }
}

TEST(Transformations, EveryOneHasACase) {
  const auto cases = all_transformation_cases();
  for (const TransformationInfo& about : transformations()) {
    const auto is_of = [&](const TransformationCase& c) { return c.spec.id == about.id; };
    EXPECT_TRUE(std::ranges::any_of(cases, is_of)) << about.text << " has no case";
  }
}

// The table's `domain` is what the evaluation does: every shape, entry by entry.
TEST(Transformations, ElementwiseOnesActOnEachEntryOfAnyShape) {
  const std::vector<double> entries = {0.5, -1.5, 2, 3, -0.25, 0};
  const std::vector<Shape> shapes = {Shape::column(6), Shape::row(6), Shape(2, 3)};
  for (const TransformationInfo& about : transformations()) {
    if (about.domain != FunctionDomain::Elementwise) continue;
    for (const Shape shape : shapes) {
      const auto y = apply(spec_of(about.id), {}, {shape, entries});
      ASSERT_TRUE(y.has_value()) << about.text;
      EXPECT_EQ(y->shape, shape) << about.text;
      for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto entry = apply(spec_of(about.id), {}, scalar(entries[i]));
        expect_value(entry, scalar(y->values[i]), std::string(about.text));
      }
    }
  }
}

TEST(Transformations, ScalarsOutsideTheDomainAreRefused) {
  for (const TransformationInfo& about : transformations()) {
    if (about.domain != FunctionDomain::Tensor) continue;
    const std::vector<std::uint32_t> words(word_count(about.id));
    EXPECT_EQ(error_text(apply(spec_of(about.id), words, scalar(1))),
              "test: error: " + std::string(about.text) +
                  " of a scalar, expected a vector or a matrix [E017]");
  }
}

TEST(Transformations, BadParameters) {
  using enum Transformation;
  const Value m = matrix(2, 3, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(error_text(apply(spec_of(Softmax), {}, m)),
            "test: error: softmax of a matrix 2x3, expected a vector [E017]");
  EXPECT_EQ(error_text(apply(spec_of(Sparsemax), {}, m)),
            "test: error: sparsemax of a matrix 2x3, expected a vector [E017]");
  EXPECT_EQ(error_text(apply(spec_of(Slice), {0, 3, 0, kToEnd}, m)),
            "test: error: slice [0:3, 0:] does not fit 2x3 [E018]");
  EXPECT_EQ(error_text(apply(spec_of(Slice), {1, 1, 0, 1}, m)),
            "test: error: slice [1:1, 0:1] does not fit 2x3 [E018]");
  EXPECT_EQ(error_text(apply(spec_of(Slice), {kToEnd, kToEnd, 0, 1}, m)),
            "test: error: slice [4294967295:, 0:1] does not fit 2x3 [E018]");
  EXPECT_EQ(error_text(apply(spec_of(AtIndex), {6}, m)),
            "test: error: atindex 6 of 2x3, expected below 6 [E018]");
  EXPECT_EQ(error_text(apply(spec_of(AtIndex), {1}, scalar(1))),
            "test: error: atindex 1 of 1, expected below 1 [E018]");
  EXPECT_EQ(error_text(apply(to_shape(Reshape, Shape(2, 2)), {}, m)),
            "test: error: reshape of 2x3 to 2x2: 6 elements, expected 4 [E018]");
  EXPECT_EQ(error_text(apply(to_shape(Broadcast, Shape(2, 2)), {}, m)),
            "test: error: broadcast of 2x3 to 2x2: expected a scalar [E018]");
  EXPECT_EQ(error_text(apply(to_shape(Broadcast, Shape(1u << 31, 1u << 31)), {}, scalar(1))),
            "test: error: broadcast has target 2147483648x2147483648, expected 1 to 16777216 "
            "elements [E018]");
  EXPECT_EQ(error_text(apply(leaky(kInf), {}, m)),
            "test: error: leakyrelu has slope inf, expected a finite number [E018]");
}

}  // namespace
}  // namespace vecc::test
