#include "backends/torch/torch_ops.h"

#include <utility>

#include "backends/torch/autograd.h"
#include "backends/torch/torch_contract.h"
#include "backends/torch/torch_functions.h"
#include "backends/torch/torch_linears.h"
#include "backends/torch/torch_segments.h"
#include "backends/torch/torch_vjp.h"

namespace vecc::libtorch {
namespace {

using Values = std::span<const at::Tensor>;

Step lower(const FactOp& fact, const LoweringContext& context, ValueId) {
  DeviceArrays& arrays = context.arrays;
  if (!fact.unit) return constant_step(arrays.values(fact.values, fact.rows, size_of(fact.shape)));
  constexpr double kOne = 1;
  return constant_step(arrays.values(std::span(&kOne, 1), 1, 1).expand({fact.rows, 1}));
}

Step lower(const WeightOp& weight, const LoweringContext& context, ValueId) {
  return constant_step(context.parameters[weight.parameter]);
}

// Concats that share a buffer share the rows of their gradient as well (gradient_plan.h): what
// readers added to an operand's rows is its gradient, and that of the concat that this one
// continues is where it belongs already.
struct SharedConcat {
  std::vector<ValueId> operands;  // those that are copied
  ValueId continued = 0;
  bool continues = false;
  std::int64_t begin = 0;  // rows of the concat that it continues
  std::int64_t rows = 0;
  at::Tensor buffer;
  std::shared_ptr<GradientRows> gradient_rows;

  [[nodiscard]] at::Tensor operator()(Values values) const {
    const bool records = c10::GradMode::is_enabled();
    bool recorded = continues && is_recorded(values[continued]);
    for (const ValueId operand : operands) recorded = recorded || is_recorded(values[operand]);
    const c10::NoGradGuard unrecorded;
    std::int64_t at = begin;
    for (const ValueId operand : operands) {
      buffer.narrow(0, at, values[operand].size(0)).copy_(values[operand]);
      at += values[operand].size(0);
    }
    const at::Tensor value = buffer.narrow(0, 0, rows);
    if (recorded) return record_gradient(values, value);
    // libtorch must not take the rows that later concats add for a change of this value.
    return records ? value.variable_data() : value;
  }

  [[nodiscard]] at::Tensor record_gradient(Values values, const at::Tensor& value) const {
    std::vector<at::Tensor> inputs;
    std::vector<std::int64_t> counts;
    for (const ValueId operand : operands) {
      inputs.push_back(values[operand]);
      counts.push_back(values[operand].size(0));
    }
    if (continues) inputs.push_back(values[continued]);
    return record_all(inputs, value,
                      [counts = std::move(counts), first = begin, of_before = continues,
                       collected = gradient_rows](const at::Tensor& g) {
                        if (g.defined()) collected->add(0, 1, g);
                        std::vector<at::Tensor> result;
                        std::int64_t at = first;
                        for (const std::int64_t count : counts) {
                          result.push_back(collected->rows(at, count));
                          at += count;
                        }
                        if (of_before) result.emplace_back();
                        return result;
                      });
  }
};

Step lower(const ConcatOp&, const LoweringContext& context, ValueId id) {
  const Op& op = context.program.op(id);
  const std::vector<ValueId> operands(op.operands.begin(), op.operands.end());
  if (context.plan.chain[id] == kNoChain) {
    return [operands](Values values) {
      c10::SmallVector<at::Tensor, 4> parts;
      for (const ValueId operand : operands) parts.push_back(values[operand]);
      return at::cat(parts, 0);
    };
  }
  SharedConcat concat;
  concat.continues = context.plan.continues[id];
  concat.continued = operands[0];
  concat.operands.assign(operands.begin() + (concat.continues ? 1 : 0), operands.end());
  concat.begin = concat.continues ? context.program.op(operands[0]).rows : 0;
  concat.rows = op.rows;
  concat.buffer = context.chains[context.plan.chain[id]];
  concat.gradient_rows = context.gradient_rows_of(id);
  return concat;
}

// Rows begin, begin + step, ...: a view.
struct StridedGather {
  ValueId from = 0;
  std::int64_t begin = 0;
  std::int64_t step = 1;
  std::int64_t rows = 0;
  std::shared_ptr<GradientRows> gradient_rows;

  [[nodiscard]] at::Tensor operator()(Values values) const {
    const at::Tensor& x = values[from];
    if (!gradient_rows || !is_recorded(x)) return view(x);
    const c10::NoGradGuard unrecorded;
    return record(x, view(x),
                  [collected = gradient_rows, first = begin, stride = step](const at::Tensor& g) {
                    collected->add(first, stride, g);
                    return at::Tensor();
                  });
  }
  [[nodiscard]] at::Tensor view(const at::Tensor& x) const {
    return x.slice(0, begin, begin + (rows - 1) * step + 1, step);
  }
};

Step lower(const GatherOp& gather, const LoweringContext& context, ValueId id) {
  const ValueId from = context.program.op(id).operands[0];
  const std::int64_t step = gather.index.step();
  const std::int64_t rows = gather.index.size();
  if (rows == 0) return [from](Values values) { return values[from].narrow(0, 0, 0); };
  switch (gather.index.form()) {
    case Index::Form::Slice:
    case Index::Form::Stride:
      return StridedGather{from, gather.index.begin(),
                           gather.index.form() == Index::Form::Slice ? 1 : step, rows,
                           context.gradient_rows_of(from)};
    // One row repeated stays a view; more rows have no regular stride.
    case Index::Form::Repeat:
      return [=](Values values) {
        const at::Tensor period = values[from].narrow(0, 0, step);
        return period.unsqueeze(0).expand({rows / step, -1, -1}).reshape({rows, period.size(1)});
      };
    case Index::Form::Interleave:
      return [=](Values values) {
        const at::Tensor each = values[from].narrow(0, 0, rows / step);
        return each.unsqueeze(1).expand({-1, step, -1}).reshape({rows, each.size(1)});
      };
    case Index::Form::List: {
      const RowSumPlan plan =
          context.fused.as_stored(plan_gather(gather.index, context.program.op(from).rows), from);
      const RowSums rows_read(plan, context.row_sum_options(from, /*in_parts=*/true),
                              context.arrays);
      return [from, rows_read](Values values) { return rows_read(values[from]); };
    }
  }
  fail_check("known index form", __FILE__, __LINE__, context.program.op(id).note);
}

Step lower(const LinearOp& linear, const LoweringContext& context, ValueId id) {
  return lower_linear(linear, context, id);
}

Step lower(const SegmentOp& segment, const LoweringContext& context, ValueId id) {
  return lower_segment(segment, context, id);
}

Step lower(const TransformOp& transform, const LoweringContext& context, ValueId id) {
  const ValueId from = context.program.op(id).operands[0];
  const auto words = transform.words ? std::span<const std::uint32_t>(*transform.words)
                                     : std::span<const std::uint32_t>();
  return [from,
          apply = RowTransformation(transform.transformation, words, context.program.op(from).shape,
                                    context.arrays)](Values values) { return apply(values[from]); };
}

Step lower(const MapOp& map, const LoweringContext& context, ValueId id) {
  const Op& op = context.program.op(id);
  const std::vector<ValueId> operands(op.operands.begin(), op.operands.end());
  std::vector<Shape> shapes;
  for (const ValueId operand : operands) shapes.push_back(context.program.op(operand).shape);
  return [operands, expression = RowExpression(*map.expr, shapes, context.arrays),
          rows = std::int64_t{op.rows}](Values values) {
    c10::SmallVector<at::Tensor, 4> rows_of_operands;
    for (const ValueId operand : operands) rows_of_operands.push_back(values[operand]);
    const at::Tensor result = expression(rows_of_operands);
    // Less than all rows, if everything that it reads broadcasts.
    return result.expand({rows, result.size(1)});
  };
}

Step lower(const ContractOp& contract, const LoweringContext& context, ValueId id) {
  return lower_contract(contract, context, id);
}

Step lower(const VjpOp& vjp, const LoweringContext& context, ValueId id) {
  return lower_vjp(vjp, context, id);
}

// check_torch_program() refuses them.
Step refused(const LoweringContext& context, ValueId id) {
  fail_check("an op that torch runs", __FILE__, __LINE__,
             std::string(text_of(context.program.op(id).kind())));
}
Step lower(const DrawOp&, const LoweringContext& context, ValueId id) {
  return refused(context, id);
}
Step lower(const TakeOp&, const LoweringContext& context, ValueId id) {
  return refused(context, id);
}
Step lower(const SumEqualOp&, const LoweringContext& context, ValueId id) {
  return refused(context, id);
}
Step lower(const ScatterSumOp&, const LoweringContext& context, ValueId id) {
  return refused(context, id);
}

Step lower(const OutputOp&, const LoweringContext& context, ValueId id) {
  return [from = context.program.op(id).operands[0]](Values values) { return values[from]; };
}

Step lower(const StateOp&, const LoweringContext& context, ValueId id) {
  return constant_step(context.states.at(id));
}

Step lower(const UpdateOp&, const LoweringContext& context, ValueId id) {
  return [from = context.program.op(id).operands[1]](Values values) { return values[from]; };
}

}  // namespace

std::shared_ptr<GradientRows> LoweringContext::gradient_rows_of(ValueId value) const {
  const std::uint32_t block = gradients.block[value];
  return block == kNoRows ? nullptr : gradient_rows[block];
}

RowSumOptions LoweringContext::row_sum_options(ValueId from, bool in_parts) const {
  return {size_of(program.op(from).shape), reduce, needs_gradient(from),
          in_parts ? gradient_rows_of(from) : nullptr};
}

Step constant_step(at::Tensor tensor) {
  return [tensor = std::move(tensor)](Values) { return tensor; };
}

Step lower_op(const LoweringContext& context, ValueId id) {
  if (context.fused.is_skipped(id)) return {};
  Step step = std::visit([&](const auto& attributes) { return lower(attributes, context, id); },
                         context.program.op(id).attributes);
  // A shared concat has this in its own step.
  const auto rows = context.plan.chain[id] == kNoChain ? context.gradient_rows_of(id) : nullptr;
  if (!rows) return step;
  return [step = std::move(step), rows](Values values) {
    return record_reading_in_parts(step(values), rows);
  };
}

}  // namespace vecc::libtorch
