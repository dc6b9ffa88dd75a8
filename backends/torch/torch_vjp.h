// Lowering of `vjp`.
#pragma once

#include "backends/torch/torch_ops.h"

namespace vecc::libtorch {

/// By formulas from what the op reads; of a map by recording its expression in the step, between
/// the operands and its value, and no further.
[[nodiscard]] Step lower_vjp(const VjpOp& vjp, const LoweringContext& context, ValueId id);

}  // namespace vecc::libtorch
