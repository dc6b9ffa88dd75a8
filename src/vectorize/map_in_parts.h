// Row-wise expressions of any size as maps of limited size.
#pragma once

#include <span>

#include "vecc/program.h"

namespace vecc {

/// `expr` of the operands: one `map`, or where it is large several, each of a part of the tree that
/// reads other parts' results. A map's gradient takes an op for each operand, and each of those
/// reads all operands: of one map that is quadratic, of parts it is linear. A long sum, product,
/// maximum or minimum is taken from left to right, as it is in one map. All operands have the same
/// number of rows.
[[nodiscard]] ValueId map_in_parts(Program& program, const Expr& expr,
                                   std::span<const ValueId> operands, const Note& note);

}  // namespace vecc
