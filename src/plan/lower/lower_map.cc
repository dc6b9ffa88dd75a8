// Functions of rows, entry by entry or row by row, and their gradients.
#include <algorithm>
#include <utility>

#include "src/plan/analysis/gradient_reads.h"
#include "src/plan/lower/inlined_rows.h"
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
  std::vector<RowRead> loads;
  for (const RowRead& read : reads) add_loads(lowering, read, loads);
  const KernelBuilder kernel = lowering.begin_rows(
      op.rows, loads, EntryLoop::Any,
      moves_entries(transform.transformation.id, op.shape) ? moved_read(g, reads[g].shape, op.shape)
                                                           : kNone);
  KernelNode node = node_of(KernelNode::Kind::TransformVjp, op.shape);
  node.transformation = transform.transformation;
  node.reads_x = what.operands;
  node.reads_y = what.result;
  set_words(lowering, kernel, transform, node);
  for (const RowRead& read : reads) node.operands.push_back(read_row(lowering, kernel, read));
  kernel.make(lowering.op, kernel.add(std::move(node)));
}

void lower_map(const OpLowering& lowering, const MapOp& map) {
  if (lowering.analysis.inlined[lowering.op]) return;
  const Op& op = lowering.program.op(lowering.op);
  const auto reads = rows_read(lowering.program, lowering.analysis.sources, lowering.op);
  const bool slow = std::ranges::any_of(map.expr->nodes, [&](const ExprNode& node) {
    return node.kind == ExprNode::Kind::Transform && is_slow_row(node.transformation.id, op.shape);
  });
  const KernelBuilder kernel =
      lowering.begin_rows(op.rows, loads_of(lowering, reads), loop_of(slow));
  kernel.make(lowering.op, make_row(lowering, kernel, lowering.op, reads));
}

// A row that all rows read gets the sum of what they pass on.
void lower_map_vjp(const OpLowering& lowering, const MapOp& map) {
  const ValueId id = lowering.op;
  const ProgramAnalysis& analysis = lowering.analysis;
  if (analysis.inlined[id] || analysis.sources.value_of(id) != id) return;  // read through
  const Op& op = lowering.program.op(id);
  const ValueId g = op.operands.back();
  const std::uint32_t rows = lowering.program.op(g).rows;
  if (rows == 0 && op.rows > 0) {  // no row reads it
    const KernelBuilder kernel = lowering.begin_new_rows(op.rows, {});
    return kernel.make(id, kernel.zeros(op.shape));
  }
  if (op.rows != rows && passes_gradient_on(lowering.program, id)) {
    return reduce_members(lowering, id, lowering.read_of(g), Segments::fixed(rows), 1,
                          Combination::Sum);
  }
  const auto reads = rows_read(lowering.program, analysis.sources, id);
  const std::vector<RowRead> loads = loads_of(lowering, reads);
  const bool takes_parts = std::ranges::any_of(map.expr->nodes, [](const ExprNode& node) {
    return node.kind == ExprNode::Kind::Combine && node.combination == Combination::Concat;
  });
  const auto last = static_cast<std::uint32_t>(loads.size() - 1);
  const KernelBuilder kernel =
      lowering.begin_rows(rows, loads, EntryLoop::Any,
                          takes_parts ? moved_read(last, loads[last].shape, op.shape) : kNone);
  const NodeIndex node = make_row(lowering, kernel, id, reads);
  if (op.rows == rows) return kernel.make(id, node);
  const RowRead each = lowering.add_temporary(rows, op.shape);
  kernel.make(each.value, node);
  reduce_members(lowering, id, each, Segments::fixed(rows), 1, Combination::Sum);
}

}  // namespace vecc
