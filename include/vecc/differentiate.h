// Reverse mode on a Program: the ops of the backward pass are appended to it, so that every backend
// that runs Programs computes gradients, and passes optimize both directions at once. The rule of
// every op is in docs/gradients.md.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "vecc/error.h"
#include "vecc/program.h"

namespace vecc {

/// Where a number (a loss) reads the Program: its gradient by the rows of a value, which has that
/// value's rows and shape.
struct Seed {
  ValueId value = 0;
  ValueId gradient = 0;
};

/// Appends what computes the number's gradients by the parameters in `wanted`. By entry of
/// `wanted`: the value with the gradient (the parameter's rows and shape), none if no seed depends
/// on the parameter. Only values on a path from such a parameter to a seed get gradients. Linear in
/// the rows, reads and members of the Program. Errors: Usage (a seed or parameter that is not
/// there, a gradient of another size; a contract, vjp or update on a path: it has no derivative);
/// LimitRows (more reads of one value than rows can be numbered; part of the ops then stand in the
/// Program).
[[nodiscard]] Result<std::vector<std::optional<ValueId>>> append_gradients(
    Program& program, std::span<const Seed> seeds, std::span<const ParameterIndex> wanted);

/// The gradient by a parameter, or by rows of it.
struct RowGradient {
  ValueId gradient = 0;
  /// Scalars, a row number of the parameter for each row of `gradient`, which is the whole gradient
  /// by that row: rows of one number are equal. None: `gradient` is of all rows.
  std::optional<ValueId> rows = std::nullopt;
};

/// The same, but of a parameter that nothing but `take` reads on a path to a seed no more than the
/// gradients by the rows that are taken: a step of sparse Adagrad or lazy Adam takes time in what
/// it reads, not in the parameter.
[[nodiscard]] Result<std::vector<std::optional<RowGradient>>> append_row_gradients(
    Program& program, std::span<const Seed> seeds, std::span<const ParameterIndex> wanted);

}  // namespace vecc
