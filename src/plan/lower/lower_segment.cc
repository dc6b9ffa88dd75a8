// Segments: members that are summed, multiplied or chosen; long ones in pieces.
#include <memory>
#include <utility>
#include <vector>

#include "src/plan/lower/inlined_rows.h"
#include "src/plan/lower/lower_ops.h"
#include "src/program/members.h"

namespace vecc {
namespace {

void count_members(const OpLowering& lowering, const Segments& segments) {
  const Op& op = lowering.program.op(lowering.op);
  const std::uint32_t members = lowering.program.op(op.operands[0]).rows;
  const KernelBuilder kernel = lowering.begin_new_members(members, segments, op.rows, {});
  KernelNode count = node_of(KernelNode::Kind::Reduce, Shape::scalar());
  count.combination = Combination::Count;
  kernel.make(lowering.op, kernel.add(std::move(count)));
}

void average_pieces(const OpLowering& lowering, ValueId id, const RowRead& members,
                    const Segments& segments, const SegmentPieces& pieces) {
  const RowRead sum = lowering.add_temporary(pieces.rows, lowering.shape_of(id));
  reduce_pieces(lowering, sum.value, members, pieces, Combination::Sum, MemberKind::Pieces);
  const RowRead reads[] = {sum, add_shares(lowering, segments, pieces.rows)};
  const KernelBuilder kernel = lowering.begin_rows(pieces.rows, reads, EntryLoop::Any);
  const NodeIndex total = kernel.read(reads[0]);
  kernel.make(id, kernel.entry_product(total, kernel.read(reads[1])));
}

// The members of segments: a value that only they read is computed here, in their order.
RowRead make_members(const OpLowering& lowering, const RowRead& members, const Segments& segments) {
  const ValueId value = members.value;
  if (value >= lowering.program.ops().size() || !lowering.analysis.inlined[value]) return members;
  RowRead made{{value, std::nullopt}, members.shape};
  if (members.index) made = lowering.add_temporary(members.index->size(), members.shape);
  OpLowering of_value = lowering;
  of_value.op = value;
  of_value.within = &segments;
  if (lowering.program.op(value).kind() == OpKind::Linear) {
    make_product(of_value, made.value, members.index);
    return made;
  }
  const auto reads = rows_read(lowering.program, lowering.analysis.sources, value, members.index);
  const KernelBuilder kernel =
      of_value.begin_rows(of_value.row_count(made), loads_of(of_value, reads), EntryLoop::Any);
  kernel.make(made.value, kernel.reshape(make_row(of_value, kernel, value, reads), made.shape));
  return made;
}

}  // namespace

Combination kernel_selection(Combination combination, Shape member) {
  if (!selects_entries(combination) || member.size() > 1) return combination;
  return combination == Combination::ElMax ? Combination::Max : Combination::Min;
}

void lower_segment(const OpLowering& lowering, const SegmentOp& segment) {
  const Op& op = lowering.program.op(lowering.op);
  const RowRead read = lowering.read_of(op.operands[0]);
  switch (segment.combination) {
    case Combination::Sum:
    case Combination::Avg:
    case Combination::ElProduct:
    case Combination::Max:
    case Combination::Min:
    case Combination::ElMax:
    case Combination::ElMin:
      return reduce_members(lowering, lowering.op, read, segment.segments, op.rows,
                            kernel_selection(segment.combination, op.shape));
    case Combination::Count: return count_members(lowering, segment.segments);
    case Combination::Softmax: return lower_softmax(lowering, read, segment.segments);
    case Combination::Sparsemax: return lower_sparsemax(lowering, read, segment.segments);
    case Combination::Concat: return reshape_rows(lowering, lowering.op, read);
    case Combination::Product:
    case Combination::CrossSum:
    case Combination::CosSim:
    case Combination::FunctionGraph: break;
  }
  fail_check("a combination of members", __FILE__, __LINE__, op.note);
}

void reduce_members(const OpLowering& lowering, ValueId id, const RowRead& members,
                    const Segments& segments, std::uint32_t rows, Combination combination,
                    MemberKind kind, bool skips_nan) {
  const bool is_sum = combination == Combination::Sum || combination == Combination::Avg;
  if (kind == MemberKind::Rows && is_sum) kind = MemberKind::Sums;
  if (const auto pieces = cut_long_segments(lowering.options, lowering.op, segments, rows,
                                            members.shape, kind, selects(combination))) {
    if (adds_few_pieces(lowering, id, *pieces, combination)) {
      return reduce_few_pieces(lowering, id, members, segments, *pieces, combination);
    }
    if (combination == Combination::Avg) {
      return average_pieces(lowering, id, members, segments, *pieces);
    }
    return reduce_pieces(lowering, id, members, *pieces, combination, MemberKind::Pieces);
  }
  const RowRead made = make_members(lowering, members, segments);
  const KernelBuilder kernel = lowering.begin_members(made, segments, rows);
  const NodeIndex member = kernel.read(made);
  KernelNode node = node_of(KernelNode::Kind::Reduce, lowering.shape_of(id), {member});
  node.combination = combination;
  node.skips_nan = skips_nan;
  kernel.make(id, kernel.add(std::move(node)));
  KernelGroup& group = kernel.group();
  group.closed = group.kernel().nodes[member].kind == KernelNode::Kind::Times &&
                 is_split_over_blocks(lowering.options.target, lowering.shape_of(id));
}

void reduce_pieces(const OpLowering& lowering, ValueId id, const RowRead& members,
                   const SegmentPieces& pieces, Combination combination, MemberKind kind) {
  const RowRead partial = lowering.add_temporary(pieces.pieces, lowering.shape_of(id));
  reduce_members(lowering, partial.value, members, pieces.of_members, pieces.pieces, combination,
                 kind, selects(combination));
  reduce_members(lowering, id, partial, pieces.of_pieces, pieces.rows, combination);
}

RowRead through_pieces(const OpLowering& lowering, const RowRead& read,
                       const SegmentPieces& pieces) {
  const std::uint32_t rows = lowering.grouping.values[read.value].rows;
  return {through(read, pieces.segment_of, rows), read.shape};
}

RowRead add_shares(const OpLowering& lowering, const Segments& segments, std::uint32_t rows) {
  std::vector<double> shares;
  for (std::uint32_t s = 0; s < rows; ++s) {
    const std::uint32_t count = member_count(segments, s);
    shares.push_back(count == 0 ? 0.0 : 1.0 / count);
  }
  return lowering.add_temporary(rows, Shape::scalar(), SharedNumbers::of(std::move(shares)));
}

}  // namespace vecc
