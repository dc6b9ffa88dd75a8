// Indices that are values of the step: which ops have them, and that most of what takes a Program
// does not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vecc/error.h"
#include "vecc/program.h"

namespace vecc {

/// Up to here f32 has every whole number: so many rows it tells apart.
constexpr std::uint64_t kMostRowsInF32 = 1ull << 24;

/// Whether the op's index is an operand (`take`, `sum_equal`, `scatter_sum`, an `update` of three
/// operands), or it is a `draw`.
[[nodiscard]] bool has_value_index(const Op& op);

/// `%7 take: ...`, of an op that has one.
[[nodiscard]] std::string value_index_gap(const Program& program, ValueId id);
/// A line an op that has one.
[[nodiscard]] std::vector<std::string> value_index_gaps(const Program& program);
/// The same as errors of a backend that does not run them.
void refuse_value_indices(const Program& program, std::string_view backend, Errors& errors);

}  // namespace vecc
