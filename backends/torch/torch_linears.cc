#include "backends/torch/torch_linears.h"

#include <optional>
#include <utility>

#include "backends/torch/grouped_layout.h"
#include "backends/torch/grouped_product.h"
#include "backends/torch/linear_operands.h"
#include "backends/torch/torch_functions.h"

namespace vecc::libtorch {
namespace {

// The grid on which both operands of a `linear` are plain or spread over one dimension.
struct LinearGrid {
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  Spread left = Spread::None;
  Spread right = Spread::None;
  bool copies_right = false;  // both are lifted, in ways that no grid holds
};

LinearGrid plan_grid(const LinearOp& linear, std::int64_t left_rows, std::int64_t right_rows) {
  const auto spread_of = [](const Lift& lift) {
    return lift.kind == Lift::Kind::Repeat ? Spread::OverOuter : Spread::OverInner;
  };
  // A repeated operand's rows are the inner dimension, an interleaved one's the outer.
  const auto grid_of = [&](const Lift& lift, std::int64_t rows) {
    const bool repeats = lift.kind == Lift::Kind::Repeat;
    return repeats ? LinearGrid{lift.times, rows} : LinearGrid{rows, lift.times};
  };
  LinearGrid grid;
  if (is_lifted(linear.lift_left)) {
    grid = grid_of(linear.lift_left, left_rows);
    grid.left = spread_of(linear.lift_left);
    if (!is_lifted(linear.lift_right)) return grid;
    const LinearGrid other = grid_of(linear.lift_right, right_rows);
    const Spread spread = spread_of(linear.lift_right);
    if (other.outer == grid.outer && other.inner == grid.inner && spread != grid.left) {
      grid.right = spread;
    } else {
      grid.copies_right = true;
    }
    return grid;
  }
  if (is_lifted(linear.lift_right)) {
    grid = grid_of(linear.lift_right, right_rows);
    grid.right = spread_of(linear.lift_right);
    return grid;
  }
  grid.outer = left_rows;
  return grid;
}

at::Tensor copy_lifted(const at::Tensor& x, const Lift& lift) {
  const bool repeats = lift.kind == Lift::Kind::Repeat;
  const at::Tensor lifted = repeats ? x.unsqueeze(0).expand({lift.times, -1, -1})
                                    : x.unsqueeze(1).expand({-1, lift.times, -1});
  return lifted.reshape({lift.times * x.size(0), x.size(1)});
}

Step lower_on_grid(const LinearOp& linear, const LoweringContext& context, ValueId id) {
  const Op& op = context.program.op(id);
  const ValueId left = op.operands[0];
  const ValueId right = op.operands[1];
  const Op& left_op = context.program.op(left);
  const Op& right_op = context.program.op(right);
  const LinearGrid grid = plan_grid(linear, left_op.rows, right_op.rows);
  return [=, left_shape = left_op.shape,
          right_shape = right_op.shape](std::span<const at::Tensor> values) {
    const at::Tensor r =
        grid.copies_right ? copy_lifted(values[right], linear.lift_right) : values[right];
    return multiply_rows({values[left], left_shape, linear.transpose_left, grid.left},
                         {r, right_shape, linear.transpose_right, grid.right}, grid.outer,
                         grid.inner);
  };
}

// A grouped linear: matrices and inputs in the order of the batches, and results back in their own.
class GroupedStep {
 public:
  GroupedStep(const LinearOp& linear, const LoweringContext& context, ValueId id)
      : GroupedStep(linear, context, id, context.fused.linears().groups(id)) {}

  [[nodiscard]] at::Tensor operator()(std::span<const at::Tensor> values) const {
    const at::Tensor x = layout_.turn_inputs(inputs_(values[reads_.inputs]));
    const at::Tensor y = product_(x, matrices_(values[reads_.matrices]));
    const at::Tensor rows = layout_.turn_results(y);
    return results_ ? (*results_)(rows) : rows;
  }

 private:
  GroupedStep(const LinearOp& linear, const LoweringContext& context, ValueId id,
              const RowGroups& groups)
      : reads_(context.fused.linears().at(id)),
        layout_(plan_grouped(linear, reads_.side, context.program.op(reads_.matrices).shape,
                             context.program.op(reads_.inputs).shape)),
        matrices_(
            read(context, reads_.matrices,
                 plan_gather(Index::list(groups.types), context.program.op(reads_.matrices).rows))),
        inputs_(read(context, reads_.inputs,
                     plan_positions(groups, context.fused.linears().input_rows(id),
                                    context.program.op(reads_.inputs).rows))),
        product_(groups.batches, layout_.shapes),
        results_(put_back(context, id, groups)) {}

  static RowSums read(const LoweringContext& context, ValueId from, const RowSumPlan& plan) {
    RowSumPlan stored = context.fused.as_stored(plan, from);
    drop_own_order(stored);
    return {stored, context.row_sum_options(from, /*in_parts=*/true), context.arrays};
  }

  static std::optional<RowSums> put_back(const LoweringContext& context, ValueId id,
                                         const RowGroups& groups) {
    if (context.fused.stays_in_batches(id)) return std::nullopt;
    RowSumPlan plan = plan_gather(Index::list(groups.place),
                                  static_cast<std::uint32_t>(groups.offsets.size() - 1));
    drop_own_order(plan);
    const RowSumOptions options{size_of(context.program.op(id).shape), context.reduce,
                                context.needs_gradient(id), nullptr};
    return RowSums(plan, options, context.arrays);
  }

  GroupedLinear reads_;
  GroupedLayout layout_;
  RowSums matrices_;
  RowSums inputs_;
  GroupedProduct product_;
  std::optional<RowSums> results_;  // none: they stay where they are
};

}  // namespace

Step lower_linear(const LinearOp& linear, const LoweringContext& context, ValueId id) {
  if (context.fused.linears().is_grouped(id)) return GroupedStep(linear, context, id);
  return lower_on_grid(linear, context, id);
}

}  // namespace vecc::libtorch
