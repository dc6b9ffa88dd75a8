// Vector-Jacobian products of functions, for tests: by differentiate.h and by finite differences.
#pragma once

#include <functional>

#include "src/function/differentiate.h"
#include "tests/function/function_case.h"

namespace vecc::test {

using Gradient = std::vector<double>;

/// The gradient at x of g . T(x).
inline Gradient gradient_of(const TransformationSpec& spec, const std::vector<std::uint32_t>& words,
                            const Value& x, const Gradient& g) {
  const Value y = apply(spec, words, x).value();
  Gradient result(x.values.size());
  differentiate(spec, words, x.shape, x.values, y.values, g, result);
  return result;
}

/// The gradients at the elements of g . C(elements).
inline std::vector<Gradient> gradients_of(Combination combination,
                                          const std::vector<Value>& elements, const Gradient& g,
                                          int axis = -1, const Expr* expr = nullptr) {
  const Value y = apply(combination, elements, axis, expr).value();
  std::vector<Gradient> result;
  std::vector<Element> views;
  for (const Value& element : elements) {
    result.emplace_back(element.values.size());
    views.push_back({element.shape, element.values});
  }
  const std::vector<std::span<double>> spans(result.begin(), result.end());
  differentiate(combination, expr, views, y.values, g, spans);
  return result;
}

/// Equal to 1e-12 relative; NaN and infinity in the same places.
inline void expect_gradient(const Gradient& found, const Gradient& expected,
                            const std::string& what) {
  expect_value(Value{Shape(), found}, Value{Shape(), expected}, what);
}

inline double dot(const Gradient& a, const Gradient& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// The derivatives of `number` by every entry of x, by central differences of `step`.
inline Gradient central_differences(const std::function<double(const std::vector<double>&)>& number,
                                    std::vector<double> x, double step) {
  Gradient result;
  for (double& entry : x) {
    const double middle = entry;
    entry = middle + step;
    const double above = number(x);
    entry = middle - step;
    const double below = number(x);
    entry = middle;
    result.push_back((above - below) / (2 * step));
  }
  return result;
}

}  // namespace vecc::test
