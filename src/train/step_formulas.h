// The formulas of optimizers' steps.
#pragma once

#include "vecc/train_step.h"

namespace vecc {

/// Bodies of maps, entry by entry. Moments: `$0` the moment before, `$1` the gradient, `$2` the
/// weight. The weight's own: `$0` the weight, `$1` the learning rate, then what it reads.
[[nodiscard]] Expr first_moment(const OptimizerOptions& options);
[[nodiscard]] Expr second_moment(const OptimizerOptions& options);
/// Plain descent; `$2` the gradient.
[[nodiscard]] Expr descend(const OptimizerOptions& options);
/// `$2` the momentum.
[[nodiscard]] Expr descend_along_momentum();
/// `$2`, `$3` the moments, `$4`, `$5` their bias corrections 1 - beta^t.
[[nodiscard]] Expr descend_adaptively(const OptimizerOptions& options);

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

}  // namespace vecc
