#include "backends/torch/grouped_layout.h"

#include "backends/torch/linear_operands.h"
#include "backends/torch/torch_functions.h"

namespace vecc::libtorch {

GroupedLayout plan_grouped(const LinearOp& linear, std::uint32_t side, Shape matrix, Shape input) {
  const bool on_left = side == 0;
  const bool matrices_turned = is_transposed(linear, side) != on_left;
  const bool inputs_turned = is_transposed(linear, 1 - side) != on_left;
  const Shape w = matrices_turned ? matrix.transposed() : matrix;
  const Shape x = inputs_turned ? input.transposed() : input;
  VECC_CHECK(x.cols() == w.rows(), "a product of shapes that fit");
  const Shape y(x.rows(), w.cols());
  return {{x.rows(), x.cols(), w.cols(), matrices_turned},
          input,
          on_left ? y.transposed() : y,
          inputs_turned,
          on_left};
}

at::Tensor GroupedLayout::turn_inputs(const at::Tensor& rows) const {
  return inputs_turned ? transpose_rows(rows, input) : rows;
}

at::Tensor GroupedLayout::turn_results(const at::Tensor& rows) const {
  return results_turned ? transpose_rows(rows, result.transposed()) : rows;
}

at::Tensor GroupedLayout::turn_result_gradients(const at::Tensor& rows) const {
  return results_turned ? transpose_rows(rows, result) : rows;
}

RowSumPlan plan_positions(const RowGroups& groups, std::span<const std::uint32_t> by_row,
                          std::uint32_t source_rows) {
  RowSumPlan plan{groups.offsets, {}, {}, source_rows};
  plan.rows.reserve(groups.members.size());
  for (const std::uint32_t row : groups.members) plan.rows.push_back(by_row[row]);
  return plan;
}

void drop_own_order(RowSumPlan& plan) {
  if (plan.rows.size() != plan.source_rows) return;
  for (std::uint32_t i = 0; i < plan.rows.size(); ++i) {
    if (plan.rows[i] != i) return;
  }
  plan.rows.clear();
}

}  // namespace vecc::libtorch
