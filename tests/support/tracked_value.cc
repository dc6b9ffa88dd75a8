#include "tests/support/tracked_value.h"

#include <algorithm>
#include <cmath>

#include "tests/support/elementwise_cases.h"
#include "tests/support/naive_functions.h"

namespace vecc::test {
namespace {

// Single precision rounds to 6e-8: copies that are 1e-6 apart at every step, and still this close
// at the end, leave a comparison to 1e-4 a factor of about ten.
constexpr double kPerturbation = 1e-6;
constexpr double kMaxSpread = 2e-4;
// How far away from a step or a tie, in values of about 1.
constexpr double kMargin = 1e-3;
// Smaller values would underflow in single precision when they are multiplied.
constexpr double kSmallest = 1e-12;

std::optional<TrackedValue> from_copies(const std::array<std::optional<Value>, 3>& results,
                                        bool exact) {
  TrackedValue value;
  value.exact = exact;
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (!results[k]) return std::nullopt;
    value.shape = results[k]->shape;
    value.copies[k] = results[k]->elements;
  }
  return value;
}

Value copy(const TrackedValue& value, std::size_t k) {
  return {value.shape, value.copies[k]};
}

double distance(const Value& a, const Value& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.elements.size(); ++i) {
    largest = std::max(largest, std::abs(a.elements[i] - b.elements[i]));
  }
  return largest;
}

// Whether whole numbers give whole numbers.
bool is_exact(Combination c) {
  switch (c) {
    case Combination::Sum:
    case Combination::Max:
    case Combination::Min:
    case Combination::Count:
    case Combination::Concat:
    case Combination::Product:
    case Combination::ElProduct:
    case Combination::CrossSum: return true;
    case Combination::Avg:
    case Combination::Softmax:
    case Combination::Sparsemax:
    case Combination::CosSim:
    case Combination::ElMax:
    case Combination::ElMin:
    case Combination::FunctionGraph: return false;
  }
  return false;
}

bool is_exact(Transformation t) {
  const TransformationInfo& about = info(t);
  if (about.domain == FunctionDomain::Elementwise) {
    return std::ranges::all_of(std::array{-2.0, -1.0, 0.0, 1.0, 2.0, 3.0}, [&](double x) {
      const double y = naive_entry({.id = t, .target = {}}, x);
      return y == std::round(y) && std::isfinite(y);
    });
  }
  return about.fingerprint == FunctionFingerprint::Moved && about.form != FunctionForm::Broadcast;
}

// Whether two members that differ have about the same sum: rounding decides which one is selected.
bool has_near_tie(std::span<const TrackedValue> elements) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Value a = copy(elements[i], 0), b = copy(elements[j], 0);
      const bool same = a.shape == b.shape && distance(a, b) < 1e-12;
      if (!same && std::abs(element_sum(a) - element_sum(b)) < kMargin) return true;
    }
  }
  return false;
}

// Of the functions with poles, with large values of moderate arguments, and with jumps.
bool is_near_singularity(Transformation t, double x) {
  if (t == Transformation::Signum) return std::abs(x) < kMargin;
  if (info(t).doubt == FunctionDoubt::Sure) return false;
  if (t == Transformation::Exp) return x > 5;
  if (t == Transformation::Inverse) return std::abs(x) < 0.1;
  return x < 0.05;
}

}  // namespace

TrackedValue track(Shape shape, std::vector<double> values, RandomSource& random) {
  TrackedValue value;
  value.shape = shape;
  value.copies.fill(values);
  perturb(value, random);
  return value;
}

TrackedValue track_exact(Shape shape, std::vector<double> values) {
  TrackedValue value;
  value.shape = shape;
  value.copies.fill(values);
  value.exact = true;
  return value;
}

void perturb(TrackedValue& value, RandomSource& random) {
  if (value.exact) return;
  for (std::size_t k = 1; k < value.copies.size(); ++k) {
    for (double& v : value.copies[k]) v *= 1 + kPerturbation * random.real(-1, 1);
  }
}

std::optional<TrackedValue> tracked_times(const TrackedValue& left, const TrackedValue& right) {
  std::array<std::optional<Value>, 3> results;
  for (std::size_t k = 0; k < results.size(); ++k) {
    results[k] = naive_times(copy(left, k), copy(right, k));
  }
  return from_copies(results, left.exact && right.exact);
}

std::optional<TrackedValue> tracked_combine(Combination combination, int axis,
                                            std::span<const TrackedValue> elements) {
  const bool selects = combination == Combination::Max || combination == Combination::Min;
  const bool exact = std::all_of(elements.begin(), elements.end(),
                                 [](const TrackedValue& element) { return element.exact; });
  if (selects && !exact && has_near_tie(elements)) return std::nullopt;
  std::array<std::optional<Value>, 3> results;
  for (std::size_t k = 0; k < results.size(); ++k) {
    std::vector<Value> copies;
    for (const TrackedValue& e : elements) copies.push_back(copy(e, k));
    results[k] = naive_combine(combination, axis, copies);
  }
  return from_copies(results,
                     combination == Combination::Count || (exact && is_exact(combination)));
}

std::optional<TrackedValue> tracked_transform(const TransformationSpec& spec,
                                              std::span<const std::uint32_t> words,
                                              const TrackedValue& input) {
  const auto singular = [&](double x) { return is_near_singularity(spec.id, x); };
  const bool exact = input.exact && is_exact(spec.id);
  if (!exact && std::any_of(input.value().begin(), input.value().end(), singular)) {
    return std::nullopt;
  }
  std::array<std::optional<Value>, 3> results;
  for (std::size_t k = 0; k < results.size(); ++k) {
    results[k] = naive_transform(spec, words, copy(input, k));
  }
  return from_copies(results, exact);
}

bool is_well_conditioned(const TrackedValue& value, double bound) {
  for (std::size_t i = 0; i < value.value().size(); ++i) {
    const double v = value.value()[i];
    if (!std::isfinite(v) || std::abs(v) > bound) return false;
    if (v != 0 && std::abs(v) < kSmallest) return false;
    for (const std::vector<double>& other : value.copies) {
      // Also false if the copy is no number.
      if (!(std::abs(other[i] - v) <= kMaxSpread * std::max(1.0, std::abs(v)))) return false;
    }
  }
  return true;
}

}  // namespace vecc::test
