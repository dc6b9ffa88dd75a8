// The formulas of gradients' limits: bodies of maps.
#pragma once

#include "vecc/function.h"

namespace vecc::training {

/// `$0`, the gradient, with entries within +-limit.
[[nodiscard]] Expr clip_entries(double limit);
/// The sum of squares of `$0`, of this shape.
[[nodiscard]] Expr sum_of_squares(Shape shape);
/// Of `$0`, the sum of all squares: the norm, and what to multiply gradients with so that none is
/// longer than `limit`.
[[nodiscard]] Expr norm_of_squares();
[[nodiscard]] Expr clip_factor(double limit);
/// `$0` times `$1`, a scalar.
[[nodiscard]] Expr scale_entries();

}  // namespace vecc::training
