#include "src/calibration/fit_times.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace vecc {
namespace {

using Row = std::vector<double>;

// What is left of a pivot where its column is a sum of others, but for rounding.
constexpr double kNothing = 1e-13;

// Normal equations of the relative errors: minimise sum over runs of (x . c / time - 1)^2.
class NormalEquations {
 public:
  explicit NormalEquations(std::size_t size) : matrix_(size, Row(size)), right_(size) {}

  void add(const MeasuredTime& run) {
    for (std::size_t i = 0; i < size(); ++i) {
      const double scaled = run.counts[i] / run.time;
      for (std::size_t k = 0; k < size(); ++k) matrix_[i][k] += scaled * run.counts[k] / run.time;
      right_[i] += scaled;
    }
    runs_ += 1;
  }

  // The sum of squared relative errors of these coefficients.
  [[nodiscard]] double error_of(const Row& c) const {
    double error = runs_;
    for (std::size_t i = 0; i < size(); ++i) {
      error -= 2 * c[i] * right_[i];
      for (std::size_t k = 0; k < size(); ++k) error += c[i] * matrix_[i][k] * c[k];
    }
    return error;
  }

  // Gaussian elimination over the coefficients of `subset`; the others are 0. None if it is
  // singular.
  [[nodiscard]] std::optional<Row> solve(unsigned subset) const {
    std::vector<Row> a = matrix_;
    Row b = right_;
    for (std::size_t i = 0; i < size(); ++i) {
      if ((subset >> i & 1u) != 0) continue;
      for (std::size_t k = 0; k < size(); ++k) a[i][k] = a[k][i] = 0;
      a[i][i] = 1;
      b[i] = 0;
    }
    for (std::size_t i = 0; i < size(); ++i) {  // symmetric and positive: no pivoting
      const bool is_free = (subset >> i & 1u) != 0;
      if (is_free && !(a[i][i] > kNothing * matrix_[i][i])) return std::nullopt;
      for (std::size_t k = i + 1; k < size(); ++k) {
        const double factor = a[k][i] / a[i][i];
        for (std::size_t j = i; j < size(); ++j) a[k][j] -= factor * a[i][j];
        b[k] -= factor * b[i];
      }
    }
    Row x(size());
    for (std::size_t i = size(); i-- > 0;) {
      x[i] = b[i];
      for (std::size_t j = i + 1; j < size(); ++j) x[i] -= a[i][j] * x[j];
      x[i] /= a[i][i];
    }
    return x;
  }

 private:
  [[nodiscard]] std::size_t size() const { return right_.size(); }

  std::vector<Row> matrix_;
  Row right_;
  double runs_ = 0;
};

}  // namespace

std::vector<double> fit_times(std::size_t coefficients, std::span<const MeasuredTime> runs) {
  NormalEquations equations(coefficients);
  for (const MeasuredTime& run : runs) {
    if (run.time > 0) equations.add(run);
  }
  // Non-negative least squares of few unknowns: the best of all subsets that are not negative.
  Row best(coefficients);
  double least = std::numeric_limits<double>::infinity();
  for (unsigned subset = 1; subset < 1u << coefficients; ++subset) {
    const std::optional<Row> x = equations.solve(subset);
    if (!x || std::ranges::any_of(*x, [](double c) { return c < 0; })) continue;
    const double error = equations.error_of(*x);
    if (error < least) {
      least = error;
      best = *x;
    }
  }
  return best;
}

}  // namespace vecc
