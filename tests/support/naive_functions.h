// Neuron functions written down a second time, as NeuraLogic's documentation states them: what the
// random graphs' own values are computed with, so that the reference has something to be checked
// against.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "vecc/function.h"

namespace vecc::test {

struct Value {
  Shape shape;
  std::vector<double> elements;
};

/// None if the shapes do not fit.
[[nodiscard]] std::optional<Value> naive_times(const Value& left, const Value& right);
/// C over a list in which C is not skipped; not FunctionGraph. None if the shapes do not fit.
[[nodiscard]] std::optional<Value> naive_combine(Combination combination, int axis,
                                                 std::span<const Value> elements);
/// None if it is undefined for the shape.
[[nodiscard]] std::optional<Value> naive_transform(const TransformationSpec& spec,
                                                   std::span<const std::uint32_t> words,
                                                   const Value& input);

/// Sum of all elements: what MAX and MIN compare.
[[nodiscard]] double element_sum(const Value& value);

}  // namespace vecc::test
