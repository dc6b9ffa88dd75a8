// Row-wise expressions of any size as maps of limited size.
#pragma once

#include <span>

#include "vecc/program.h"

namespace vecc::vectorizer {

/// `expr` of the operands: one `map`, or where it is large several ops. A map's gradient takes an
/// op for each operand, and each of those reads all operands: of one map that is quadratic, of maps
/// of a few operands it is linear. So each part of the tree is a map that reads other parts'
/// results. A long list of one shape is the members of a `segment`: sums, means, elementwise
/// products, maxima and minima are reduced, others stand side by side in a row. A long product is
/// taken from left to right, and a long list of several shapes as a tree. All operands have the
/// same number of rows, and there is at least one.
[[nodiscard]] ValueId map_in_parts(Program& program, const Expr& expr,
                                   std::span<const ValueId> operands, const Note& note);

}  // namespace vecc::vectorizer
