#include "backends/torch/torch_vjp.h"

#include <utility>

#include "backends/torch/autograd.h"
#include "backends/torch/torch_functions.h"
#include "backends/torch/torch_segments.h"

namespace vecc::libtorch {
namespace {

using Values = std::span<const at::Tensor>;

// Where the values that a vjp reads stand among its operands.
struct VjpOperands {
  VjpOperands(const VjpOp& vjp, const Op& op) : reads(reads_of(vjp)) {
    g = op.operands.back();
    if (reads.operands) x = op.operands.front();
    if (reads.result) y = op.operands[op.operands.size() - 2];
  }
  [[nodiscard]] at::Tensor x_of(Values values) const {
    return reads.operands ? values[x] : at::Tensor();
  }
  [[nodiscard]] at::Tensor y_of(Values values) const {
    return reads.result ? values[y] : at::Tensor();
  }

  VjpReads reads;
  ValueId x = 0;
  ValueId y = 0;
  ValueId g = 0;
};

Step lower(const TransformOp& transform, const VjpOp& vjp, const LoweringContext& context,
           ValueId id) {
  const auto words = transform.words ? std::span<const std::uint32_t>(*transform.words)
                                     : std::span<const std::uint32_t>();
  const RowTransformation function(transform.transformation, words, vjp.shape, context.arrays);
  return [function, operands = VjpOperands(vjp, context.program.op(id))](Values values) {
    return function.differentiate(operands.x_of(values), operands.y_of(values), values[operands.g]);
  };
}

Step lower(const SegmentOp& segment, const VjpOp& vjp, const LoweringContext& context, ValueId id) {
  const SegmentDerivative derivative =
      lower_segment_derivative(segment, context.program.op(id).rows, size_of(vjp.shape), context);
  return [derivative, operands = VjpOperands(vjp, context.program.op(id))](Values values) {
    return derivative(operands.x_of(values), operands.y_of(values), values[operands.g]);
  };
}

// Each row by itself, so that one whose g is zero passes nothing on where the rest is infinite; the
// rows of an operand that has one are summed after that.
Step lower(const MapOp& map, const VjpOp& vjp, const LoweringContext& context, ValueId id) {
  const Op& op = context.program.op(id);
  const std::vector<ValueId> operands(op.operands.begin(), op.operands.end() - 1);
  std::vector<Shape> shapes;
  for (const ValueId operand : operands) shapes.push_back(context.program.op(operand).shape);
  const ValueId g = op.operands.back();
  const bool sums = op.rows != context.program.op(g).rows;
  return [operands, g, sums, wrt = vjp.wrt, rows = std::int64_t{context.program.op(g).rows},
          expression = RowExpression(*map.expr, shapes, context.arrays)](Values values) {
    std::vector<at::Tensor> inputs;
    for (const ValueId operand : operands) inputs.push_back(values[operand]);
    // In memory: products take an expanded row for one that they may read once.
    if (sums) inputs[wrt] = inputs[wrt].expand({rows, -1}).contiguous();
    const auto value = [&](std::span<const at::Tensor> read) {
      const at::Tensor result = expression(read);
      return result.expand({rows, result.size(1)});  // less, if all that is read broadcasts
    };
    const at::Tensor found = gradient_by_input(inputs, wrt, value, values[g]);
    const at::Tensor passes = (values[g] != 0).any(1, /*keepdim=*/true);
    const at::Tensor result = at::where(passes, found, at::scalar_tensor(0, found.options()));
    return sums ? result.sum(0, /*keepdim=*/true) : result;
  };
}

}  // namespace

Step lower_vjp(const VjpOp& vjp, const LoweringContext& context, ValueId id) {
  return std::visit([&](const auto& of) { return lower(of, vjp, context, id); }, vjp.of);
}

}  // namespace vecc::libtorch
