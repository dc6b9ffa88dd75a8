// A neuron's value together with copies computed from slightly different numbers: how far the
// copies are apart says how much a computation amplifies rounding.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "tests/support/random_source.h"
#include "vecc/function.h"

namespace vecc::test {

struct TrackedValue {
  Shape shape;
  /// The value, and two copies that differ from it by about 1e-6 of its size at every step.
  std::array<std::vector<double>, 3> copies;
  /// Small whole numbers, computed without any rounding: ties between them are ties everywhere.
  bool exact = false;

  [[nodiscard]] const std::vector<double>& value() const { return copies[0]; }
};

/// A given value (a fact, a weight) with perturbed copies.
[[nodiscard]] TrackedValue track(Shape shape, std::vector<double> values, RandomSource& random);
/// The same for whole numbers.
[[nodiscard]] TrackedValue track_exact(Shape shape, std::vector<double> values);
/// Perturbs the copies once more, as an operation's rounding would; nothing if exact.
void perturb(TrackedValue& value, RandomSource& random);

// Operations; none if the operation is ill-formed there, or too close to a point where a tiny
// change of its arguments changes its result a lot: a pole, a tie between different values, a step.

[[nodiscard]] std::optional<TrackedValue> tracked_times(const TrackedValue& left,
                                                        const TrackedValue& right);
/// C over a list in which C is not skipped.
[[nodiscard]] std::optional<TrackedValue> tracked_combine(Combination combination, int axis,
                                                          std::span<const TrackedValue> elements);
[[nodiscard]] std::optional<TrackedValue> tracked_transform(const TransformationSpec& spec,
                                                            std::span<const std::uint32_t> words,
                                                            const TrackedValue& input);

/// Finite, at most `bound` large, not next to underflow, and the copies close enough for a
/// comparison in single precision.
[[nodiscard]] bool is_well_conditioned(const TrackedValue& value, double bound);

}  // namespace vecc::test
