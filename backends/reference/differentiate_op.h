// The derivative of one op of a Program in double, as a vector-Jacobian product: from the gradient
// of a number by the op's rows, what reaches the rows of its operands.
#pragma once

#include <span>

#include "backends/reference/rows.h"
#include "vecc/program.h"

namespace vecc::reference {

/// An op's backward step. `operands` and `operand_gradients` are in the op's order; the latter are
/// added to, or absent where they are not needed, and two may be the same memory. Of the values
/// only those that reads_operand() and reads_result() name must be present.
struct BackwardStep {
  const Op& op;
  std::span<const Rows> operands;
  Rows result;
  Rows gradient;  ///< by the result
  std::span<const MutableRows> operand_gradients;
};

/// Adds to the operands' gradients. A row whose gradient is zero passes nothing on, even where a
/// derivative is infinite; so does a segment. Not for ops without operands, nor for gathers (their
/// gradients are added to through the index), outputs (where gradients begin) and updates.
void differentiate_op(const BackwardStep& step);

/// Whether the backward step reads the value of operand k, `wanted` saying by operand whether
/// its gradient is needed; and whether it reads the op's own value.
[[nodiscard]] bool reads_operand(const Op& op, std::size_t k, std::span<const bool> wanted);
[[nodiscard]] bool reads_result(const Op& op);

[[nodiscard]] inline bool is_zero(std::span<const double> gradient) {
  for (const double v : gradient) {
    if (v != 0) return false;
  }
  return true;
}

}  // namespace vecc::reference
