// How row-wise products and their gradients become grouped products (grouped_product.h): what
// stands at each position of the batches, and which rows are transposed on the way.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <span>

#include "backends/torch/fused_sums.h"
#include "backends/torch/grouped_product.h"
#include "backends/torch/row_groups.h"
#include "vecc/program.h"

namespace vecc::libtorch {

/// y = x w with the matrices on the right as they stand; with the matrices on the left, y = w x is
/// y^T = x^T w^T.
struct GroupedLayout {
  GroupedShapes shapes;
  Shape input;   ///< of a row as it is stored
  Shape result;  ///< of a row as it is stored
  bool inputs_turned = false;
  bool results_turned = false;

  /// Rows as stored to [m, k], and [m, n] to rows as stored.
  [[nodiscard]] at::Tensor turn_inputs(const at::Tensor& rows) const;
  [[nodiscard]] at::Tensor turn_results(const at::Tensor& rows) const;
  /// Rows as stored to [m, n].
  [[nodiscard]] at::Tensor turn_result_gradients(const at::Tensor& rows) const;
};
/// `side`: the operand that has the matrices. Shapes are those of stored rows; no scalars.
[[nodiscard]] GroupedLayout plan_grouped(const LinearOp& linear, std::uint32_t side, Shape matrix,
                                         Shape input);

/// At each position of the batches, the row of a value (with `source_rows`) that its row reads by
/// `by_row`, or zero.
[[nodiscard]] RowSumPlan plan_positions(const RowGroups& groups,
                                        std::span<const std::uint32_t> by_row,
                                        std::uint32_t source_rows);

/// Where a plan reads all rows in their order, it names none: nothing need be copied for it.
void drop_own_order(RowSumPlan& plan);

}  // namespace vecc::libtorch
