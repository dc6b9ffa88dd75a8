// Gradients by the members of segments.
#include <utility>
#include <vector>

#include "src/plan/lower/lower_ops.h"

namespace vecc {
namespace {

// Every member gets the segment's gradient, or its share of it.
void spread_gradient(const OpLowering& lowering, const RowRead& g, const SegmentOp& segment) {
  const std::uint32_t members = lowering.program.op(lowering.op).rows;
  const std::uint32_t rows = lowering.row_count(g);
  const bool shares = segment.combination == Combination::Avg;
  const auto pieces = cut_long_segments(lowering.options, lowering.op, segment.segments, rows,
                                        g.shape, MemberKind::Sums);
  std::vector<RowRead> reads{pieces ? through_pieces(lowering, g, *pieces) : g};
  if (pieces && shares) {
    const RowRead share = add_shares(lowering, segment.segments, rows);
    reads.push_back(through_pieces(lowering, share, *pieces));
  }
  const KernelBuilder kernel =
      pieces ? lowering.begin_new_members(members, pieces->of_members, pieces->pieces, reads)
             : lowering.begin_new_members(members, segment.segments, rows, reads);
  NodeIndex share = kNone;
  if (!pieces && shares) {
    KernelNode count = node_of(KernelNode::Kind::Reduce, Shape::scalar());
    count.combination = Combination::Count;
    share = kernel.rows().transform(Transformation::Inverse, kernel.add(std::move(count)));
  }
  const NodeIndex row = kernel.rows().read(reads[0]);
  if (pieces && shares) share = kernel.rows().read(reads[1]);
  kernel.begin_members();
  if (!shares) share = kernel.constant(1);
  kernel.make(lowering.op, kernel.entry_product(row, share));
}

// The member that was selected gets the segment's gradient, or that of an entry.
void select_gradient(const OpLowering& lowering, ValueId id, const RowRead& x, const RowRead& g,
                     const Segments& segments, Combination combination, bool skips_nan = false) {
  const Shape shape = lowering.shape_of(id);
  const std::uint32_t rows = lowering.row_count(g);
  if (const auto pieces = cut_long_segments(lowering.options, lowering.op, segments, rows, g.shape,
                                            MemberKind::Rows, /*first_alone=*/true)) {
    // The piece whose member is selected gets the segment's gradient, and passes it on.
    const RowRead partial = lowering.add_temporary(pieces->pieces, shape);
    const RowRead g_of_piece = lowering.add_temporary(pieces->pieces, shape);
    reduce_members(lowering, partial.value, x, pieces->of_members, pieces->pieces, combination,
                   MemberKind::Rows, /*skips_nan=*/true);
    select_gradient(lowering, g_of_piece.value, partial, g, pieces->of_pieces, combination);
    return select_gradient(lowering, id, x, g_of_piece, pieces->of_members, combination,
                           /*skips_nan=*/true);
  }
  const KernelBuilder kernel = lowering.begin_members(x, segments, rows, std::span(&g, 1));
  const Shape arg_shape = selects_entries(combination) ? shape : Shape::scalar();
  KernelNode arg = node_of(KernelNode::Kind::ReduceArg, arg_shape, {kernel.read(x)});
  arg.combination = combination;
  arg.skips_nan = skips_nan;
  const NodeIndex selected = kernel.add(std::move(arg));
  const NodeIndex row = kernel.rows().read(g);
  kernel.begin_members();
  kernel.make(id, kernel.add(node_of(KernelNode::Kind::Selected, shape, {selected, row})));
}

// The product of the others: of those before a member, then, backwards, of those after it. Where
// `guard` is zero nothing is passed on.
void product_gradient(const OpLowering& lowering, ValueId id, const RowRead& x, const RowRead& g,
                      const RowRead& guard, const Segments& segments) {
  const Shape shape = lowering.shape_of(id);
  const std::uint32_t rows = lowering.row_count(g);
  if (const auto pieces =
          cut_long_segments(lowering.options, lowering.op, segments, rows, g.shape)) {
    const RowRead partial = lowering.add_temporary(pieces->pieces, shape);
    const RowRead g_of_piece = lowering.add_temporary(pieces->pieces, shape);
    reduce_members(lowering, partial.value, x, pieces->of_members, pieces->pieces,
                   Combination::ElProduct);
    product_gradient(lowering, g_of_piece.value, partial, g, guard, pieces->of_pieces);
    return product_gradient(lowering, id, x, g_of_piece, through_pieces(lowering, guard, *pieces),
                            pieces->of_members);
  }
  const RowRead others[] = {g, guard};
  const KernelBuilder kernel = lowering.begin_members(x, segments, rows, others);
  const auto scan = [&](NodeIndex of) {
    return kernel.add(node_of(KernelNode::Kind::Scan, shape, {of}));
  };
  const RowRead before = lowering.add_temporary(lowering.row_count(x), shape);
  kernel.make(before.value, scan(kernel.read(x)));
  const NodeIndex row = kernel.rows().read(g);
  const NodeIndex zeros = kernel.rows().read(guard);
  kernel.begin_members(/*reversed=*/true);
  const NodeIndex after = scan(kernel.load(x));
  const NodeIndex first = kernel.load(before);
  KernelNode node = node_of(KernelNode::Kind::Combine, shape, {row, first, after});
  node.combination = Combination::ElProduct;
  kernel.make(id, kernel.guard(zeros, kernel.add(std::move(node))));
}

}  // namespace

void lower_segment_vjp(const OpLowering& lowering, const SegmentOp& segment) {
  const ValueId id = lowering.op;
  const Op& op = lowering.program.op(id);
  const RowRead x = lowering.read_of(op.operands[0]);
  const RowRead g = lowering.read_of(op.operands.back());
  switch (segment.combination) {
    case Combination::Max:
    case Combination::Min:
    case Combination::ElMax:
    case Combination::ElMin:
      return select_gradient(lowering, id, x, g, segment.segments,
                             kernel_selection(segment.combination, op.shape));
    case Combination::ElProduct: return product_gradient(lowering, id, x, g, g, segment.segments);
    case Combination::Softmax:
    case Combination::Sparsemax: return lower_softmax_vjp(lowering, x, g, segment);
    case Combination::Concat: return reshape_rows(lowering, id, g);
    case Combination::Sum:
    case Combination::Avg: return spread_gradient(lowering, g, segment);
    case Combination::Count: {
      const KernelBuilder kernel = lowering.begin_new_rows(op.rows, {});
      return kernel.make(id, kernel.zeros(op.shape));
    }
    case Combination::Product:
    case Combination::CrossSum:
    case Combination::CosSim:
    case Combination::FunctionGraph: break;
  }
  fail_check("a combination of members", __FILE__, __LINE__, op.note);
}

}  // namespace vecc
