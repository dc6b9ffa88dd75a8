// Lowering: one step of libtorch calls for each op of a Program.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "backends/common/shared_rows.h"
#include "backends/torch/buffer_plan.h"
#include "backends/torch/device_arrays.h"
#include "backends/torch/fused_reads.h"
#include "backends/torch/gradient_plan.h"
#include "backends/torch/row_sums.h"
#include "vecc/program.h"

namespace vecc::libtorch {

/// Makes an op's value [rows, size] from the values so far. What it needs besides them (indices,
/// facts, offsets, words) was uploaded when it was made.
using Step = std::function<at::Tensor(std::span<const at::Tensor> values)>;

/// What lowering reads and fills.
struct LoweringContext {
  const Program& program;
  const FusedReads& fused;
  const BufferPlan& plan;
  const GradientPlan& gradients;
  TorchReduce reduce;
  DeviceArrays& arrays;
  /// One tensor a parameter, one a state (by value), one a chain of the buffer plan, one a block of
  /// the gradient plan.
  std::span<const at::Tensor> parameters;
  const StateBlocks<at::Tensor>& states;
  std::span<const at::Tensor> chains;
  std::span<const std::shared_ptr<GradientRows>> gradient_rows;

  [[nodiscard]] bool needs_gradient(ValueId value) const { return gradients.needed[value]; }
  /// Where readers of parts of a value put its gradient; null if it is passed on whole.
  [[nodiscard]] std::shared_ptr<GradientRows> gradient_rows_of(ValueId value) const;
  /// For sums of rows of `from`; `in_parts`: not of all rows in order.
  [[nodiscard]] RowSumOptions row_sum_options(ValueId from, bool in_parts) const;
};

/// No step for an op that is skipped (fused_reads.h). An update's step makes what is to be stored
/// (stored_updates.h).
[[nodiscard]] Step lower_op(const LoweringContext& context, ValueId id);

/// The same tensor in every run.
[[nodiscard]] Step constant_step(at::Tensor tensor);

}  // namespace vecc::libtorch
