// Lowering: one step of libtorch calls for each op of a Program.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <span>
#include <vector>

#include "backends/torch/buffer_plan.h"
#include "backends/torch/device_arrays.h"
#include "vecc/program.h"

namespace vecc {

/// Makes an op's value [rows, size] from the values so far. What it needs besides them (indices,
/// facts, offsets, words) was uploaded when it was made.
using Step = std::function<at::Tensor(std::span<const at::Tensor> values)>;

/// What lowering reads and fills.
struct LoweringContext {
  const Program& program;
  const BufferPlan& plan;
  DeviceArrays& arrays;
  /// One tensor a parameter, one a chain of the plan.
  std::span<const at::Tensor> parameters;
  std::span<const at::Tensor> chains;
};

/// The op must be one that the backend supports (no state, no update).
[[nodiscard]] Step lower_op(const LoweringContext& context, ValueId id);

}  // namespace vecc
