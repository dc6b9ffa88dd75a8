#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "src/function/differentiate.h"

namespace vecc {
namespace {

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

// gx += g * slope(v), entry by entry; v is the argument or the result.
template <class Slope>
void add_slopes(std::span<const double> v, std::span<const double> g, std::span<double> gx,
                Slope slope) {
  for (std::size_t i = 0; i < gx.size(); ++i) {
    if (g[i] != 0) gx[i] += g[i] * slope(v[i]);
  }
}

void add_entries(std::span<const double> g, std::span<double> gx) {
  for (std::size_t i = 0; i < gx.size(); ++i) gx[i] += g[i];
}

void add_transposed(Shape shape, std::span<const double> g, std::span<double> gx) {
  for (std::size_t r = 0; r < shape.rows(); ++r) {
    for (std::size_t c = 0; c < shape.cols(); ++c) {
      gx[r * shape.cols() + c] += g[c * shape.rows() + r];
    }
  }
}

// y = (x - mean) / d with d = sqrt(variance + 1e-10) has the gradient
// (g - mean g - y mean(g y)) / d.
void differentiate_norm(std::span<const double> x, std::span<const double> y,
                        std::span<const double> g, std::span<double> gx) {
  const auto n = static_cast<double>(x.size());
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / n;
  double squares = 0;
  double g_mean = 0;
  double gy_mean = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    squares += (x[i] - mean) * (x[i] - mean);
    g_mean += g[i] / n;
    gy_mean += g[i] * y[i] / n;
  }
  const double deviation = std::sqrt(squares / n + 1e-10);
  for (std::size_t i = 0; i < x.size(); ++i) {
    gx[i] += (g[i] - g_mean - y[i] * gy_mean) / deviation;
  }
}

// y = x - ln(sum of e^x): g less the softmax's share of all of g.
void differentiate_log_softmax(std::span<const double> y, std::span<const double> g,
                               std::span<double> gx) {
  const double sum = std::accumulate(g.begin(), g.end(), 0.0);
  for (std::size_t i = 0; i < gx.size(); ++i) gx[i] += g[i] - std::exp(y[i]) * sum;
}

void add_sliced(std::span<const std::uint32_t> words, Shape shape, std::span<const double> g,
                std::span<double> gx) {
  const std::size_t row_end = std::min(words[1], shape.rows());
  const std::size_t col_end = std::min(words[3], shape.cols());
  std::size_t i = 0;
  for (std::size_t r = words[0]; r < row_end; ++r) {
    for (std::size_t c = words[2]; c < col_end; ++c) gx[r * shape.cols() + c] += g[i++];
  }
}

}  // namespace

void differentiate_softmax(std::span<const double> y, std::span<const double> g,
                           std::span<double> gx) {
  const double mean = std::inner_product(y.begin(), y.end(), g.begin(), 0.0);
  for (std::size_t i = 0; i < gx.size(); ++i) gx[i] += y[i] * (g[i] - mean);
}

void differentiate_sparsemax(std::span<const double> y, std::span<const double> g,
                             std::span<double> gx) {
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (y[i] <= 0) continue;  // outside the support; NaN is everywhere or nowhere
    sum += g[i] + 0 * y[i];
    ++count;
  }
  for (std::size_t i = 0; i < gx.size(); ++i) {
    if (!(y[i] <= 0)) gx[i] += g[i] - sum / count;
  }
}

void differentiate(const TransformationSpec& spec, std::span<const std::uint32_t> words,
                   Shape shape, std::span<const double> x, std::span<const double> y,
                   std::span<const double> g, std::span<double> gx) {
  const auto of_x = [&](auto slope) { add_slopes(x, g, gx, slope); };
  const auto of_y = [&](auto slope) { add_slopes(y, g, gx, slope); };
  switch (spec.id) {
    case Transformation::Identity:
    case Transformation::Reshape: add_entries(g, gx); return;
    case Transformation::Sigmoid:
      if (!x.empty()) return of_x(clamped_sigmoid_slope);
      return of_y([](double v) { return v * (1 - v); });
    case Transformation::Tanh:
      if (!x.empty()) return of_x(tanh_slope);
      return of_y([](double v) { return (1 - v) * (1 + v); });
    case Transformation::Signum: return;
    case Transformation::Relu: of_y([](double v) { return v > 0 ? 1.0 : 0.0; }); return;
    case Transformation::LeakyRelu: {
      const auto slope = [&](double v) { return v > 0 ? 1.0 : spec.slope; };
      if (derivative_reads_result(spec)) return of_y(slope);
      return of_x(slope);
    }
    case Transformation::Lukasiewicz:
      of_x([](double v) { return 6 * sigmoid_slope(6 * v + 0.5); });
      return;
    case Transformation::Exp: of_y([](double v) { return v; }); return;
    case Transformation::Log: of_x([](double v) { return 1 / v; }); return;
    case Transformation::Sqrt: of_y([](double v) { return 0.5 / v; }); return;
    case Transformation::Inverse: of_y([](double v) { return -v * v; }); return;
    case Transformation::Reverse: add_slopes(g, g, gx, [](double) { return -1.0; }); return;
    case Transformation::Gelu: of_x(gelu_slope); return;
    case Transformation::Abs: of_x(abs_slope); return;
    case Transformation::Square: of_x([](double v) { return 2 * v; }); return;
    case Transformation::Transp: add_transposed(shape, g, gx); return;
    case Transformation::Norm: differentiate_norm(x, y, g, gx); return;
    case Transformation::Softmax: differentiate_softmax(y, g, gx); return;
    case Transformation::Sparsemax: differentiate_sparsemax(y, g, gx); return;
    case Transformation::LogSoftmax: differentiate_log_softmax(y, g, gx); return;
    case Transformation::Slice: add_sliced(words, shape, g, gx); return;
    case Transformation::AtIndex: gx[words[0]] += g[0]; return;
    case Transformation::Broadcast: differentiate_add(g, shape, gx); return;
  }
  fail_check("known transformation", __FILE__, __LINE__, std::string(info(spec.id).text));
}

}  // namespace vecc
