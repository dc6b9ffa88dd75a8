// Ops that make some rows of another one.
#pragma once

#include "vecc/index.h"
#include "vecc/program.h"

namespace vecc {

/// A fact whose row i is row rows[i] of `fact`; rows may occur more than once.
[[nodiscard]] FactOp select_rows(const FactOp& fact, const Index& rows);

/// The transformation of rows `rows` of its operand, in that order: the words that belong to them.
[[nodiscard]] TransformOp select_rows(const TransformOp& transform, const Index& rows);

/// Whether row i of a `vjp` is a function of row i of each operand (or of their one row): one of a
/// transformation, or of a map by an operand that it does not broadcast.
[[nodiscard]] bool is_row_wise(const Program& program, const Op& op);
/// Those rows of a row-wise `vjp`.
[[nodiscard]] VjpOp select_rows(const VjpOp& vjp, const Index& rows);

}  // namespace vecc
