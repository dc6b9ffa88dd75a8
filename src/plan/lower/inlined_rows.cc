#include "src/plan/lower/inlined_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/plan/lower/expr_nodes.h"
#include "src/support/list_threads.h"

namespace vecc {
namespace {

bool is_inlined(const OpLowering& lowering, const RowRead& read) {
  return read.value < lowering.program.ops().size() && lowering.analysis.inlined[read.value];
}

std::vector<std::optional<RowRead>> rows_of(const OpLowering& lowering, const RowRead& read) {
  return rows_read(lowering.program, lowering.analysis.sources, read.value, read.index);
}

// Whether a node is 0 where another is, whatever else it reads: it has entries of that one as they
// are, or times finite constants.
bool keeps_zeros(const KernelBuilder& kernel, NodeIndex node, NodeIndex of) {
  const auto& nodes = kernel.group().kernel().nodes;
  const auto is_finite = [&](NodeIndex n) {
    return nodes[n].kind == KernelNode::Kind::Constant && std::isfinite(nodes[n].constant);
  };
  while (node != of) {
    const KernelNode& it = nodes[node];
    const bool moves =
        it.kind == KernelNode::Kind::Transform && (it.transformation.id == Transformation::Slice ||
                                                   it.transformation.id == Transformation::Reshape);
    const bool scales = it.kind == KernelNode::Kind::Combine &&
                        it.combination == Combination::ElProduct && it.operands.size() == 2 &&
                        is_finite(it.operands[1]);
    if (!moves && !scales) return false;
    node = it.operands[0];
  }
  return true;
}

bool is_all_ones(const Program& program, ValueId value) {
  const auto* fact = std::get_if<FactOp>(&program.op(value).attributes);
  return fact != nullptr && !fact->unit &&
         holds_for_all(fact->values.size(), [&](std::size_t i) { return fact->values[i] == 1; });
}

// Of the node of a gradient one that is zero where all of it is: of numbers that are repeated
// (times a fact of ones) these numbers.
NodeIndex zeros_of(const OpLowering& lowering, const KernelBuilder& kernel, const RowRead& g,
                   NodeIndex node) {
  if (!is_inlined(lowering, g)) return node;
  const Op& op = lowering.program.op(g.value);
  if (op.kind() != OpKind::Linear) return node;
  const auto& nodes = kernel.group().kernel().nodes;
  while (nodes[node].kind == KernelNode::Kind::Transform) node = nodes[node].operands[0];
  if (is_all_ones(lowering.program, op.operands[1])) return nodes[node].operands[0];
  if (is_all_ones(lowering.program, op.operands[0])) return nodes[node].operands[1];
  return node;
}

// What a map passes on to an operand; of `operands` the last is the map's gradient, which `read`
// reads.
NodeIndex make_map_gradient(const OpLowering& lowering, const KernelBuilder& kernel, const Op& op,
                            std::vector<NodeIndex> operands, const RowRead& read) {
  const auto& vjp = std::get<VjpOp>(op.attributes);
  const Expr& expr = *std::get<MapOp>(vjp.of).expr;
  const NodeIndex g = operands.back();
  operands.pop_back();
  std::vector<Shape> shapes;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    shapes.push_back(lowering.program.op(op.operands[k]).shape);
  }
  const auto gradient = ExprNodes(kernel, expr, operands, shapes).differentiate(vjp.wrt, g);
  // The expression may not read the operand: nothing comes back.
  if (!gradient) return kernel.zeros(op.shape);
  if (keeps_zeros(kernel, *gradient, g)) return *gradient;
  return kernel.guard(zeros_of(lowering, kernel, read, g), *gradient);
}

}  // namespace

void add_loads(const OpLowering& lowering, const RowRead& read, std::vector<RowRead>& loads) {
  if (!is_inlined(lowering, read)) return loads.push_back(read);
  for (const auto& part : rows_of(lowering, read)) {
    if (part) add_loads(lowering, *part, loads);
  }
}

std::vector<RowRead> loads_of(const OpLowering& lowering,
                              std::span<const std::optional<RowRead>> reads) {
  std::vector<RowRead> loads;
  for (const auto& read : reads) {
    if (read) add_loads(lowering, *read, loads);
  }
  return loads;
}

NodeIndex read_row(const OpLowering& lowering, const KernelBuilder& kernel, const RowRead& read) {
  if (!is_inlined(lowering, read)) return kernel.read(read);
  kernel.note_op(read.value);
  return kernel.reshape(make_row(lowering, kernel, read.value, rows_of(lowering, read)),
                        read.shape);
}

NodeIndex make_row(const OpLowering& lowering, const KernelBuilder& kernel, ValueId id,
                   std::span<const std::optional<RowRead>> reads) {
  const Op& op = lowering.program.op(id);
  std::vector<NodeIndex> operands;
  for (const auto& read : reads) {
    operands.push_back(read ? read_row(lowering, kernel, *read) : kNone);
  }
  if (const auto* map = std::get_if<MapOp>(&op.attributes)) {
    return ExprNodes(kernel, *map->expr, operands).result();
  }
  if (op.kind() == OpKind::Vjp) {
    return make_map_gradient(lowering, kernel, op, std::move(operands), *reads.back());
  }
  const auto& linear = std::get<LinearOp>(op.attributes);
  return kernel.reshape(
      kernel.times(operands[0], operands[1], linear.transpose_left, linear.transpose_right),
      op.shape);
}

}  // namespace vecc
