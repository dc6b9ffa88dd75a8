#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "optimizer/cost/work.h"
#include "vecc/cost.h"

namespace vecc {
namespace {

constexpr std::size_t kFeatures = 3;
using Row = std::array<double, kFeatures>;

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
  if (on_gpu) return {1.4e-5, 3.6e-13, 7.0e-14};
  return {2.5e-6, 2.0e-10, 2.0e-10};
}

double predict_seconds(const Program& program, const CostCoefficients& c,
                       const BackendTraits& traits) {
  const Work work = work_of(program, traits);
  return c.launch * work.launches + c.byte * work.bytes + c.multiply_add * work.multiply_adds;
}

MeasuredWork count_work(const Program& program, const BackendTraits& traits) {
  const Work work = work_of(program, traits);
  return {work.launches, work.bytes, work.multiply_adds, 0};
}

CostCoefficients fit_coefficients(std::span<const MeasuredWork> runs) {
  NormalEquations equations;
  for (const MeasuredWork& run : runs) {
    if (run.seconds > 0) equations.add({run.launches, run.bytes, run.multiply_adds}, run.seconds);
  }
  // Non-negative least squares of three unknowns: the best of all subsets that are not negative.
  Row best{};
  double least = std::numeric_limits<double>::infinity();
  for (unsigned subset = 1; subset < 1u << kFeatures; ++subset) {
    const std::optional<Row> x = solve(equations, subset);
    if (!x || (*x)[0] < 0 || (*x)[1] < 0 || (*x)[2] < 0) continue;
    const double error = equations.error_of(*x);
    if (error < least) {
      least = error;
      best = *x;
    }
  }
  return {best[0], best[1], best[2]};
}

}  // namespace vecc
