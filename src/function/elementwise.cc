#include "src/function/elementwise.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "src/function/differentiate.h"

namespace vecc {
namespace {

double sigmoid(double x) {
  if (x > 100) return 1;
  if (x < -100) return 0;
  return 1 / (1 + std::exp(-x));
}

// e^-a / (1 + e^-a)^2 at a = |x|: sigmoid's derivative without the cancellation of s (1 - s).
double sigmoid_slope(double x) {
  const double e = std::exp(-std::abs(x));
  return e / ((1 + e) * (1 + e));
}

// Zero where the sigmoid's value is clamped.
double clamped_sigmoid_slope(double x) {
  return std::abs(x) > 100 ? 0 : sigmoid_slope(x);
}

// 1 - tanh^2 = 4 sigmoid'(2x), without the cancellation.
double tanh_slope(double x) {
  return std::abs(x) > 100 ? 0 : 4 * sigmoid_slope(2 * x);
}

double gelu(double x) {
  return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
}

// Phi(x) + x phi(x), with the normal distribution's function and density.
double gelu_slope(double x) {
  const double density = std::exp(-x * x / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  const double tail = density == 0 ? 0 : x * density;  // 0 at infinity too
  return 0.5 * (1 + std::erf(x / std::numbers::sqrt2)) + tail;
}

double abs_slope(double x) {
  if (x > 0) return 1;
  return x < 0 ? -1 : 0;
}

// s + x s (1 - s), with the sigmoid s.
double silu_slope(double x) {
  const double slope = sigmoid_slope(x);
  return 1 / (1 + std::exp(-x)) + (slope == 0 ? 0 : x * slope);  // 0 and 1 at infinity
}

// gx += g * slope(v), entry by entry; v is the argument or the result.
template <class Slope>
void add_slopes(std::span<const double> v, std::span<const double> g, std::span<double> gx,
                Slope slope) {
  for (std::size_t i = 0; i < gx.size(); ++i) {
    if (g[i] != 0) gx[i] += g[i] * slope(v[i]);
  }
}

[[noreturn]] void fail_elementwise(Transformation id) {
  fail_check("an elementwise transformation", __FILE__, __LINE__, std::string(info(id).text));
}

}  // namespace

void evaluate_entries(const TransformationSpec& spec, std::span<const double> x,
                      std::span<double> y) {
  const auto map = [&](auto function) { std::ranges::transform(x, y.begin(), function); };
  switch (spec.id) {
    case Transformation::Identity: std::ranges::copy(x, y.begin()); return;
    case Transformation::Sigmoid: return map(sigmoid);
    case Transformation::Tanh: return map([](double v) { return std::tanh(v); });
    case Transformation::Signum: return map([](double v) { return v > 0 ? 1.0 : 0.0; });
    case Transformation::Relu: return map([](double v) { return v <= 0 ? 0.0 : v; });  // keeps NaN
    case Transformation::LeakyRelu:
      return map([&](double v) { return v > 0 ? v : spec.slope * v; });
    case Transformation::Lukasiewicz:
      return map([](double v) { return 1 / (1 + std::exp(-6 * v - 0.5)); });
    case Transformation::Exp: return map([](double v) { return std::exp(v); });
    case Transformation::Log: return map([](double v) { return std::log(v); });
    case Transformation::Sqrt: return map([](double v) { return std::sqrt(v); });
    case Transformation::Inverse: return map([](double v) { return 1 / v; });
    case Transformation::Reverse: return map([](double v) { return 1 - v; });
    case Transformation::Gelu: return map(gelu);
    case Transformation::Abs: return map([](double v) { return std::abs(v); });
    case Transformation::Square: return map([](double v) { return v * v; });
    case Transformation::Silu: return map([](double v) { return v / (1 + std::exp(-v)); });
    case Transformation::Softplus:
      return map([](double v) { return (v < 0 ? 0 : v) + std::log1p(std::exp(-std::abs(v))); });
#include "vecc/other_cases.def"
      break;
  }
  fail_elementwise(spec.id);
}

void differentiate_entries(const TransformationSpec& spec, std::span<const double> x,
                           std::span<const double> y, std::span<const double> g,
                           std::span<double> gx) {
  const auto of_x = [&](auto slope) { add_slopes(x, g, gx, slope); };
  const auto of_y = [&](auto slope) { add_slopes(y, g, gx, slope); };
  switch (spec.id) {
    case Transformation::Identity:
      for (std::size_t i = 0; i < gx.size(); ++i) gx[i] += g[i];
      return;
    case Transformation::Sigmoid:
      if (!x.empty()) return of_x(clamped_sigmoid_slope);
      return of_y([](double v) { return v * (1 - v); });
    case Transformation::Tanh:
      if (!x.empty()) return of_x(tanh_slope);
      return of_y([](double v) { return (1 - v) * (1 + v); });
    case Transformation::Signum: return;
    case Transformation::Relu: return of_y([](double v) { return v > 0 ? 1.0 : 0.0; });
    case Transformation::LeakyRelu: {
      const auto slope = [&](double v) { return v > 0 ? 1.0 : spec.slope; };
      if (derivative_reads_result(spec)) return of_y(slope);
      return of_x(slope);
    }
    case Transformation::Lukasiewicz:
      return of_x([](double v) { return 6 * sigmoid_slope(6 * v + 0.5); });
    case Transformation::Exp: return of_y([](double v) { return v; });
    case Transformation::Log: return of_x([](double v) { return 1 / v; });
    case Transformation::Sqrt: return of_y([](double v) { return 0.5 / v; });
    case Transformation::Inverse: return of_y([](double v) { return -v * v; });
    case Transformation::Reverse: return add_slopes(g, g, gx, [](double) { return -1.0; });
    case Transformation::Gelu: return of_x(gelu_slope);
    case Transformation::Abs: return of_x(abs_slope);
    case Transformation::Square: return of_x([](double v) { return 2 * v; });
    case Transformation::Silu: return of_x(silu_slope);
    case Transformation::Softplus: return of_x([](double v) { return 1 / (1 + std::exp(-v)); });
#include "vecc/other_cases.def"
      break;
  }
  fail_elementwise(spec.id);
}

}  // namespace vecc
