// One op of a Program in double.
#pragma once

#include <span>

#include "backends/reference/rows.h"
#include "vecc/program.h"

namespace vecc::reference {

/// The value of an op that computes: not of a weight or a state, which the caller owns, nor of a
/// gather, whose rows are read through its index. `operands` in the op's order; `result` are zeros,
/// and may have an operand of a concat in its place already. An update's value is its operand 1;
/// storing it is the caller's. Row numbers are those that check_row_numbers() passed.
void interpret_op(const Op& op, std::span<const Rows> operands, const MutableRows& result);

/// The words that a transformation reads in a row; empty if it has none.
[[nodiscard]] std::span<const std::uint32_t> words_of(const TransformOp& transform,
                                                      std::uint32_t row);

}  // namespace vecc::reference
