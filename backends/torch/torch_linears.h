// Lowering of `linear`: row-wise products.
#pragma once

#include "backends/torch/torch_ops.h"

namespace vecc::libtorch {

/// A grouped one (grouped_linears.h) reads past the gathers before it.
[[nodiscard]] Step lower_linear(const LinearOp& linear, const LoweringContext& context, ValueId id);

}  // namespace vecc::libtorch
