// A function applied to values, for tests.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "src/function/evaluate.h"

namespace vecc::test {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();
// Numbers with a name keep the cases short: e, ln 2, ...
inline constexpr double kE = std::numbers::e;
inline constexpr double kLn2 = std::numbers::ln2;
inline const double kLn3 = std::log(3.0);

inline TransformationSpec spec_of(Transformation id, Shape target = {}) {
  TransformationSpec spec;
  spec.id = id;
  spec.target = target;
  return spec;
}
inline TransformationSpec leaky(double slope) {
  TransformationSpec spec = spec_of(Transformation::LeakyRelu);
  spec.slope = slope;
  return spec;
}

struct Value {
  Shape shape;
  std::vector<double> values;
};

inline Value scalar(double value) {
  return {Shape::scalar(), {value}};
}
inline Value column(std::vector<double> values) {
  return {Shape::column(static_cast<std::uint32_t>(values.size())), std::move(values)};
}
inline Value row(std::vector<double> values) {
  return {Shape::row(static_cast<std::uint32_t>(values.size())), std::move(values)};
}
inline Value matrix(std::uint32_t rows, std::uint32_t cols, std::vector<double> values) {
  return {Shape(rows, cols), std::move(values)};
}

/// T(x) by the shape rule and the evaluation.
inline Result<Value> apply(const TransformationSpec& spec, const std::vector<std::uint32_t>& words,
                           const Value& x) {
  VECC_TRY(const Shape shape, transformed_shape(spec, words, x.shape, "test"));
  Value y{shape, std::vector<double>(shape.size())};
  evaluate(spec, words, x.shape, x.values, y.values);
  return y;
}

/// C(elements), the same way.
inline Result<Value> apply(Combination combination, const std::vector<Value>& elements,
                           int axis = -1, const Expr* expr = nullptr) {
  std::vector<Shape> shapes;
  std::vector<Element> views;
  for (const Value& element : elements) {
    shapes.push_back(element.shape);
    views.push_back({element.shape, element.values});
  }
  VECC_TRY(const Shape shape, combined_shape(combination, axis, expr, shapes, "test"));
  Value y{shape, std::vector<double>(shape.size())};
  evaluate(combination, expr, views, y.values);
  return y;
}

/// Equal shapes, and values equal to 1e-12 relative.
inline void expect_value(const Result<Value>& found, const Value& expected,
                         const std::string& what) {
  ASSERT_TRUE(found.has_value()) << what << ": " << found.error().text();
  EXPECT_EQ(found->shape, expected.shape) << what << ": " << found->shape.text();
  std::vector<testing::Matcher<double>> near;
  for (const double v : expected.values) {
    const double tolerance = 1e-12 * std::max(1.0, std::abs(v));
    near.push_back(std::isinf(v) ? testing::Matcher<double>(testing::Eq(v))
                                 : testing::NanSensitiveDoubleNear(v, tolerance));
  }
  EXPECT_THAT(found->values, testing::ElementsAreArray(near)) << what;
}

/// The error's text.
template <class T>
std::string error_text(const Result<T>& result) {
  return result ? "no error" : result.error().text();
}

}  // namespace vecc::test
