#include "tests/differentiate/finite_differences.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

#include "tests/differentiate/gradient_case.h"
#include "tests/reference/interpreter_check.h"
#include "tests/support/random_source.h"

namespace vecc::test {
namespace {

constexpr double kDifferenceStep = 3e-5;
constexpr double kDifferenceTolerance = 1e-6;
constexpr double kJumpTolerance = 1e-3;

bool agree_to(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max({1.0, std::abs(a), std::abs(b)});
}

// The Program's number: the sum of its outputs' elements times `factors`.
class Number {
 public:
  Number(const Program& program, const std::vector<double>& factors)
      : executable_(compile_or_throw(program)), factors_(factors) {
    for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
      values_.push_back(executable_->parameter(p).value());
    }
    at_values_ = evaluate();
  }

  // None where the number is not smooth.
  std::optional<double> derivative(ParameterIndex parameter, std::size_t entry) {
    const double h = kDifferenceStep * std::max(1.0, std::abs(values_[parameter][entry]));
    const auto at = [&](double steps) { return at_offset(parameter, entry, steps * h); };
    const double up = at(1), up2 = at(2), down = at(-1), down2 = at(-2);
    // Differences to either side, both of the second order: they meet where there is no kink.
    const double right = (4 * up - 3 * at_values_ - up2) / (2 * h);
    const double left = (3 * at_values_ - 4 * down + down2) / (2 * h);
    if (!std::isfinite(right) || !agree_to(left, right, kDifferenceTolerance)) return std::nullopt;
    // Where a step jumps by as much to either side (the norm of zeros), half of it is twice as
    // steep.
    const double near = (up - down) / (2 * h), wide = (up2 - down2) / (4 * h);
    if (!agree_to(near, wide, kJumpTolerance)) return std::nullopt;
    return (8 * (up - down) - (up2 - down2)) / (12 * h);  // of the fourth order
  }

 private:
  double evaluate() {
    if (const auto done = executable_->run(); !done) throw std::logic_error(done.error().text());
    double sum = 0;
    std::size_t i = 0;
    for (const Executable::Output& output : executable_->outputs().value()) {
      for (const double v : output.value) {
        const double factor = factors_.at(i++);
        if (factor != 0) sum += factor * v;
      }
    }
    return sum;
  }

  double at_offset(ParameterIndex parameter, std::size_t entry, double offset) {
    std::vector<double> changed = values_[parameter];
    changed[entry] += offset;
    set(parameter, changed);
    const double number = evaluate();
    set(parameter, values_[parameter]);
    return number;
  }
  void set(ParameterIndex parameter, const std::vector<double>& values) {
    if (const auto done = executable_->set_parameter(parameter, values); !done) {
      throw std::logic_error(done.error().text());
    }
  }

  std::unique_ptr<Executable> executable_;
  const std::vector<double>& factors_;
  std::vector<std::vector<double>> values_;
  double at_values_ = 0;
};

// In a random order, if these are not all.
std::vector<std::size_t> draw_entries(std::size_t size, std::size_t most, RandomSource& random) {
  std::vector<std::size_t> entries(size);
  std::iota(entries.begin(), entries.end(), std::size_t{0});
  if (size <= most) return entries;
  for (std::size_t i = 0; i < most; ++i) {
    std::swap(entries[i], entries[i + random.below(static_cast<std::uint32_t>(size - i))]);
  }
  entries.resize(most);
  return entries;
}

}  // namespace

DifferenceCount compare_with_differences(const Program& program, std::uint64_t seed,
                                         std::size_t most) {
  const std::vector<double> factors = random_output_gradients(program, seed);
  const Differentiated both = differentiate_outputs(program, factors);
  const auto executable = compile_or_throw(both.program);
  if (const auto done = executable->run(); !done) throw std::logic_error(done.error().text());
  Number number(program, factors);
  RandomSource random(seed);
  DifferenceCount count;
  for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
    const Parameter& parameter = program.parameters()[p];
    std::vector<double> found(parameter.rows * parameter.shape.size());
    if (both.gradients[p]) found = executable->read(*both.gradients[p]).value();
    for (const std::size_t i : draw_entries(found.size(), most, random)) {
      const std::optional<double> expected = number.derivative(p, i);
      ++(expected ? count.compared : count.left_out);
      if (!expected || !count.disagreement.empty()) continue;
      if (std::abs(found[i] - *expected) <=
          kDifferenceTolerance * std::max(1.0, std::abs(*expected))) {
        continue;
      }
      count.disagreement = "gradient of \"" + parameter.name + "\", element " + std::to_string(i) +
                           " is " + std::to_string(found[i]) + ", by differences " +
                           std::to_string(*expected);
    }
  }
  return count;
}

}  // namespace vecc::test
