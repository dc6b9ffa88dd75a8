#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "optimizer/cost/work.h"
#include "vecc/cost.h"

namespace vecc {
namespace {

constexpr std::size_t kFeatures = 5;
using Row = std::array<double, kFeatures>;

Row features_of(const Work& work) {
  return {1, work.launches, work.bytes, work.batch_bytes, work.multiply_adds};
}
CostCoefficients coefficients_of(const Row& c) {
  return {c[0], c[1], c[2], c[3], c[4]};
}

// Normal equations of the relative errors: minimise sum over runs of (x . c / seconds - 1)^2.
struct NormalEquations {
  std::array<Row, kFeatures> matrix{};
  Row right{};
  double runs = 0;

  void add(const Row& features, double seconds) {
    for (std::size_t i = 0; i < kFeatures; ++i) {
      const double scaled = features[i] / seconds;
      for (std::size_t k = 0; k < kFeatures; ++k) matrix[i][k] += scaled * features[k] / seconds;
      right[i] += scaled;
    }
    runs += 1;
  }
  // The sum of squared relative errors of these coefficients.
  [[nodiscard]] double error_of(const Row& c) const {
    double error = runs;
    for (std::size_t i = 0; i < kFeatures; ++i) {
      error -= 2 * c[i] * right[i];
      for (std::size_t k = 0; k < kFeatures; ++k) error += c[i] * matrix[i][k] * c[k];
    }
    return error;
  }
};

// Gaussian elimination over the features of `subset`; the others are 0. None if it is singular.
std::optional<Row> solve(const NormalEquations& equations, unsigned subset) {
  auto a = equations.matrix;
  Row b = equations.right;
  for (std::size_t i = 0; i < kFeatures; ++i) {
    if (subset >> i & 1u) continue;
    for (std::size_t k = 0; k < kFeatures; ++k) a[i][k] = a[k][i] = 0;
    a[i][i] = 1;
    b[i] = 0;
  }
  for (std::size_t i = 0; i < kFeatures; ++i) {  // symmetric and positive: no pivoting
    if (!(a[i][i] > 1e-300)) return std::nullopt;
    for (std::size_t k = i + 1; k < kFeatures; ++k) {
      const double factor = a[k][i] / a[i][i];
      for (std::size_t j = i; j < kFeatures; ++j) a[k][j] -= factor * a[i][j];
      b[k] -= factor * b[i];
    }
  }
  Row x{};
  for (std::size_t i = kFeatures; i-- > 0;) {
    x[i] = b[i];
    for (std::size_t j = i + 1; j < kFeatures; ++j) x[i] -= a[i][j] * x[j];
    x[i] /= a[i][i];
  }
  return x;
}

}  // namespace

CostCoefficients default_coefficients(bool on_gpu) {
  if (on_gpu) return {9.0e-6, 1.5e-6, 2.5e-13, 3.5e-12, 4.5e-14};
  return {0, 2.5e-6, 2.0e-10, 2.0e-10, 2.0e-10};
}

double predict_seconds(const Work& work, const CostCoefficients& c) {
  return c.run + c.launch * work.launches + c.byte * work.bytes + c.batch_byte * work.batch_bytes +
         c.multiply_add * work.multiply_adds;
}

double predict_seconds(const Program& program, const CostCoefficients& coefficients,
                       const BackendTraits& traits) {
  return predict_seconds(work_of(program, traits), coefficients);
}

CostCoefficients fit_coefficients(std::span<const MeasuredWork> runs) {
  NormalEquations equations;
  for (const MeasuredWork& run : runs) {
    if (run.seconds > 0) equations.add(features_of(run.work), run.seconds);
  }
  // Non-negative least squares of few unknowns: the best of all subsets that are not negative.
  Row best{};
  double least = std::numeric_limits<double>::infinity();
  for (unsigned subset = 1; subset < 1u << kFeatures; ++subset) {
    const std::optional<Row> x = solve(equations, subset);
    if (!x || std::ranges::any_of(*x, [](double c) { return c < 0; })) continue;
    const double error = equations.error_of(*x);
    if (error < least) {
      least = error;
      best = *x;
    }
  }
  return coefficients_of(best);
}

}  // namespace vecc
