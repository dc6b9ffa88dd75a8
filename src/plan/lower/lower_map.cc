// Functions of rows, entry by entry or row by row, and their gradients.
#include <algorithm>
#include <cmath>
#include <utility>

#include "src/plan/lower/expr_nodes.h"
#include "src/plan/lower/lower_ops.h"

namespace vecc {
namespace {

EntryLoop loop_of(bool slow) {
  return slow ? EntryLoop::Slow : EntryLoop::Any;
}

bool moves_entries(Transformation transformation, Shape from) {
  return transformation == Transformation::Slice ||
         (transformation == Transformation::Transp && from.is_matrix());
}

void set_words(const OpLowering& lowering, const KernelBuilder& kernel,
               const TransformOp& transform, KernelNode& node) {
  const std::uint32_t count = word_count(transform.transformation.id);
  if (count == 0) return;
  if (transform.words->size() == count) {
    std::ranges::copy(*transform.words, node.words.begin());
    return;
  }
  node.words_by_row = true;
  node.word_slot = kernel.group().add_words(lowering.grouping.arrays.add(transform.words));
}

bool is_inlined(const OpLowering& lowering, const RowRead& read) {
  return read.value < lowering.program.ops().size() && lowering.analysis.inlined_in_map[read.value];
}

std::array<RowRead, 2> reads_of_product(const OpLowering& lowering, const RowRead& product) {
  return linear_reads(lowering.program, lowering.analysis.sources, product.value);
}

// The product that a map reads, by a row of the map.
NodeIndex make_inlined(const OpLowering& lowering, const KernelBuilder& kernel,
                       const RowRead& product) {
  const Op& op = lowering.program.op(product.value);
  const auto& linear = std::get<LinearOp>(op.attributes);
  const std::array<RowRead, 2> reads = reads_of_product(lowering, product);
  const NodeIndex left = kernel.read(reads[0]);
  const NodeIndex right = kernel.read(reads[1]);
  kernel.note_op(product.value);
  return kernel.reshape(kernel.times(left, right, linear.transpose_left, linear.transpose_right),
                        op.shape);
}

}  // namespace

void lower_transform(const OpLowering& lowering, const TransformOp& transform) {
  if (lowering.analysis.sources.value_of(lowering.op) != lowering.op) return;  // read through
  const Op& op = lowering.program.op(lowering.op);
  const RowRead read = lowering.read_of(op.operands[0]);
  const Transformation id = transform.transformation.id;
  const KernelBuilder kernel = lowering.begin_rows(
      op.rows, std::span(&read, 1), loop_of(is_slow_row(id, op.shape)),
      moves_entries(id, read.shape) ? moved_read(0, read.shape, op.shape) : kNone);
  KernelNode node = node_of(KernelNode::Kind::Transform, op.shape);
  node.transformation = transform.transformation;
  set_words(lowering, kernel, transform, node);
  node.operands = {kernel.read(read)};
  kernel.make(lowering.op, kernel.add(std::move(node)));
}

void lower_transform_vjp(const OpLowering& lowering, const VjpOp& vjp,
                         const TransformOp& transform) {
  const Op& op = lowering.program.op(lowering.op);
  const VjpReads what = reads_of(vjp);
  std::vector<RowRead> reads;
  for (const ValueId operand : op.operands) reads.push_back(lowering.read_of(operand));
  const auto g = static_cast<std::uint32_t>(reads.size() - 1);
  const KernelBuilder kernel = lowering.begin_rows(
      op.rows, reads, EntryLoop::Any,
      moves_entries(transform.transformation.id, op.shape) ? moved_read(g, reads[g].shape, op.shape)
                                                           : kNone);
  KernelNode node = node_of(KernelNode::Kind::TransformVjp, op.shape);
  node.transformation = transform.transformation;
  node.reads_x = what.operands;
  node.reads_y = what.result;
  set_words(lowering, kernel, transform, node);
  for (const RowRead& read : reads) node.operands.push_back(kernel.read(read));
  kernel.make(lowering.op, kernel.add(std::move(node)));
}

void lower_map(const OpLowering& lowering, const MapOp& map) {
  const Op& op = lowering.program.op(lowering.op);
  const std::vector<RowRead> operands =
      map_reads(lowering.program, lowering.analysis.sources, op.operands, op.rows);
  std::vector<RowRead> reads;
  for (const RowRead& operand : operands) {
    if (is_inlined(lowering, operand)) {
      for (const RowRead& side : reads_of_product(lowering, operand)) reads.push_back(side);
    } else {
      reads.push_back(operand);
    }
  }
  const bool slow = std::ranges::any_of(map.expr->nodes, [&](const ExprNode& node) {
    return node.kind == ExprNode::Kind::Transform && is_slow_row(node.transformation.id, op.shape);
  });
  const KernelBuilder kernel = lowering.begin_rows(op.rows, reads, loop_of(slow));
  std::vector<NodeIndex> inputs;
  for (const RowRead& operand : operands) {
    inputs.push_back(is_inlined(lowering, operand) ? make_inlined(lowering, kernel, operand)
                                                   : kernel.read(operand));
  }
  kernel.make(lowering.op, ExprNodes(kernel, *map.expr, inputs).result());
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

// What a map passes on to an operand: of `reads` the last is the map's gradient.
NodeIndex add_map_gradient(const KernelBuilder& kernel, const MapOp& map, std::uint32_t wrt,
                           std::span<const RowRead> reads, Shape shape) {
  std::vector<NodeIndex> operands;
  for (const RowRead& read : reads) operands.push_back(kernel.read(read));
  const NodeIndex g = operands.back();
  operands.pop_back();
  const auto gradient = ExprNodes(kernel, *map.expr, operands).differentiate(wrt, g);
  // The expression may not read the operand: nothing comes back.
  if (!gradient) return kernel.zeros(shape);
  return keeps_zeros(kernel, *gradient, g) ? *gradient : kernel.guard(g, *gradient);
}

// Whether the gradient of a map by an operand of the map's shape is the map's own: all that the
// operand takes part in is sums.
bool passes_gradient_on(const Expr& expr, std::uint32_t operand) {
  std::vector<std::uint32_t> times;  // that the operand is in each node that no other has taken yet
  for (const ExprNode& node : expr.nodes) {
    std::uint32_t count = node.kind == ExprNode::Kind::Input && node.input == operand ? 1 : 0;
    const std::size_t arity = operand_count(node);
    for (std::size_t k = 0; k < arity; ++k) count += times[times.size() - arity + k];
    const bool is_sum =
        node.kind == ExprNode::Kind::Combine && node.combination == Combination::Sum;
    if (arity > 0 && count > 0 && !is_sum) return false;
    times.resize(times.size() - arity);
    times.push_back(count);
  }
  return times.back() == 1;
}

// A row that all rows read gets the sum of what they pass on.
void lower_map_vjp(const OpLowering& lowering, const VjpOp& vjp, const MapOp& map) {
  const ValueId id = lowering.op;
  const Op& op = lowering.program.op(id);
  const std::uint32_t rows = lowering.program.op(op.operands.back()).rows;
  if (rows == 0 && op.rows > 0) {  // no row reads it
    const KernelBuilder kernel = lowering.begin_new_rows(op.rows, {});
    return kernel.make(id, kernel.zeros(op.shape));
  }
  std::vector<RowRead> reads =
      map_reads(lowering.program, lowering.analysis.sources, op.operands, rows);
  const bool passes_on =
      reads[vjp.wrt].shape == reads.back().shape && passes_gradient_on(*map.expr, vjp.wrt);
  if (passes_on) reads.erase(reads.begin(), std::prev(reads.end()));
  const bool takes_parts = std::ranges::any_of(map.expr->nodes, [](const ExprNode& node) {
    return node.kind == ExprNode::Kind::Combine && node.combination == Combination::Concat;
  });
  const auto last = static_cast<std::uint32_t>(reads.size() - 1);
  const KernelBuilder kernel =
      lowering.begin_rows(rows, reads, EntryLoop::Any,
                          takes_parts ? moved_read(last, reads[last].shape, op.shape) : kNone);
  const NodeIndex node = passes_on ? kernel.read(reads.back())
                                   : add_map_gradient(kernel, map, vjp.wrt, reads, op.shape);
  if (op.rows == rows) return kernel.make(id, node);
  const RowRead each = lowering.add_temporary(rows, op.shape);
  kernel.make(each.value, node);
  reduce_members(lowering, id, each, Segments::fixed(rows), 1, Combination::Sum);
}

}  // namespace vecc
