// Lowering of `segment`: sums, products, selections and softmaxes over segments of rows.
#pragma once

#include "backends/torch/torch_ops.h"

namespace vecc::libtorch {

/// A fused one (fused_sums.h) reads past the ops before it.
[[nodiscard]] Step lower_segment(const SegmentOp& segment, const LoweringContext& context,
                                 ValueId id);

/// The gradient by a segment's members, of which `vjp` reads x (the members), y, neither.
using SegmentDerivative =
    std::function<at::Tensor(const at::Tensor& x, const at::Tensor& y, const at::Tensor& g)>;
/// `rows` members of `size` entries. Zero where g's row is.
[[nodiscard]] SegmentDerivative lower_segment_derivative(const SegmentOp& segment,
                                                         std::uint32_t rows, std::int64_t size,
                                                         const LoweringContext& context);

}  // namespace vecc::libtorch
