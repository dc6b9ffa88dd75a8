// The formulas of losses, for one sample or one pair.
#pragma once

#include "vecc/function.h"
#include "vecc/loss.h"
#include "vecc/shape.h"

namespace vecc::training {

/// Bodies of maps. Of a sample: `$0` is the output, `$1` the target, both of one shape, `$2` the
/// weight. Of a pair: `$0` the positive's output, `$1` the negative's, scalars, `$2` the weight.
struct LossFormulas {
  Expr error;     ///< a scalar, without the weight
  Expr gradient;  ///< times the weight: by the output; by the negative's (by the positive's: less)
};
/// Not for a ranking.
[[nodiscard]] LossFormulas sample_formulas(const LossOptions& options, Shape output);
[[nodiscard]] LossFormulas pair_formulas(double margin);
/// `weight * error` of `$0` and `$1`.
[[nodiscard]] Expr weighted_error();

}  // namespace vecc::training
