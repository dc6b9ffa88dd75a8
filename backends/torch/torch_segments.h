// Lowering of `segment`: sums, products, selections and softmaxes over segments of rows.
#pragma once

#include "backends/torch/torch_ops.h"

namespace vecc {

/// A fused one (fused_sums.h) reads past the ops before it.
[[nodiscard]] Step lower_segment(const SegmentOp& segment, const LoweringContext& context,
                                 ValueId id);

}  // namespace vecc
