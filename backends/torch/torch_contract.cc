#include "backends/torch/torch_contract.h"

#include <numeric>

#include "backends/torch/grouped_layout.h"
#include "backends/torch/grouped_linears.h"
#include "backends/torch/torch_functions.h"
#include "src/program/inverse_index.h"

namespace vecc::libtorch {
namespace {

// Every row's gradient is made, then those of each type are added.
Step lower_by_rows(const ContractOp& contract, const LoweringContext& context, ValueId id) {
  const Op& op = context.program.op(id);
  const ValueId g = op.operands[0];
  const ValueId x = op.operands[1];
  const InverseIndex by_type = inverse_index(contract.types, contract.type_count);
  const Index order = Index::list(by_type.readers);
  const auto sorted = [&](ValueId from) {
    return RowSums(plan_gather(order, context.program.op(from).rows),
                   context.row_sum_options(from, /*in_parts=*/false), context.arrays);
  };
  const GradientShapes shapes{context.program.op(g).shape, context.program.op(x).shape,
                              contract.weight_shape};
  const RowSumOptions options{size_of(contract.weight_shape), context.reduce,
                              context.needs_gradient(id), nullptr};
  const RowSums sums(plan_ragged_sum(Segments::ragged(by_type.offsets)), options, context.arrays);
  return [=, gs = sorted(g), xs = sorted(x)](std::span<const at::Tensor> values) {
    return sums(weight_gradients(gs(values[g]), xs(values[x]), shapes));
  };
}

// Position by type, where a type has one.
RowSumPlan plan_types(const RowGroups& groups, std::uint32_t type_count) {
  RowSumPlan plan{std::vector<std::uint32_t>(type_count + std::size_t{1}),
                  std::vector<std::uint32_t>(groups.types.size()),
                  {},
                  static_cast<std::uint32_t>(groups.types.size())};
  for (const std::uint32_t type : groups.types) plan.offsets[type + std::size_t{1}] = 1;
  std::partial_sum(plan.offsets.begin(), plan.offsets.end(), plan.offsets.begin());
  for (std::uint32_t i = 0; i < groups.types.size(); ++i) {
    plan.rows[plan.offsets[groups.types[i]]] = i;
  }
  return plan;
}

// One product a batch of types makes their gradients.
Step lower_by_types(const ContractOp& contract, const LoweringContext& context, ValueId id) {
  const Op& op = context.program.op(id);
  const ValueId g = op.operands[0];
  const ValueId x = op.operands[1];
  const RowGroups groups = group_rows(contract.types.materialize(), contract.type_count);
  const GroupedLayout layout =
      plan_grouped(LinearOp{}, /*side=*/0, contract.weight_shape, context.program.op(x).shape);
  std::vector<std::uint32_t> order(contract.types.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto sorted = [&](ValueId from) {
    RowSumPlan plan = plan_positions(groups, order, context.program.op(from).rows);
    drop_own_order(plan);
    return RowSums(plan, context.row_sum_options(from, /*in_parts=*/false), context.arrays);
  };
  RowSumPlan types = plan_types(groups, contract.type_count);
  drop_own_order(types);
  const RowSums placed(
      types, {size_of(contract.weight_shape), context.reduce, context.needs_gradient(id), nullptr},
      context.arrays);
  return
      [=, gs = sorted(g), xs = sorted(x), product = GroupedProduct(groups.batches, layout.shapes)](
          std::span<const at::Tensor> values) {
        return placed(product.matrix_gradients(layout.turn_inputs(xs(values[x])),
                                               layout.turn_result_gradients(gs(values[g]))));
      };
}

bool gains_by_types(const ContractOp& contract, Shape x, bool cuda) {
  if (contract.weight_shape.is_scalar() || x.is_scalar()) return false;
  // Both ways sort the rows of g and x.
  GroupedLinearSize size{.reads = contract.types.size(),
                         .matrix = contract.weight_shape.size(),
                         .input = 0,
                         .result = 0,
                         .groups = {},
                         .cuda = cuda};
  if (grouping_gain(size) <= 0) return false;
  size.groups = count_row_groups(contract.types.materialize(), contract.type_count);
  return grouping_gain(size) > 0;
}

}  // namespace

Step lower_contract(const ContractOp& contract, const LoweringContext& context, ValueId id) {
  const Op& x = context.program.op(context.program.op(id).operands[1]);
  const bool cuda = context.arrays.options().device().is_cuda();
  return gains_by_types(contract, x.shape, cuda) ? lower_by_types(contract, context, id)
                                                 : lower_by_rows(contract, context, id);
}

}  // namespace vecc::libtorch
