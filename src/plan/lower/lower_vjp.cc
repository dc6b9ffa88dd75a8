// Gradients by an operand of a function.
#include <algorithm>

#include "src/plan/lower/expr_nodes.h"
#include "src/plan/lower/lowering.h"

namespace vecc {
void Lowering::lower_vjp(ValueId id, const VjpOp& vjp) {
  if (const auto* transform = std::get_if<TransformOp>(&vjp.of)) {
    lower_vjp_transform(id, vjp, *transform);
  } else if (const auto* map = std::get_if<MapOp>(&vjp.of)) {
    lower_vjp_map(id, vjp, *map);
  } else {
    lower_vjp_segment(id, std::get<SegmentOp>(vjp.of));
  }
}

void Lowering::lower_vjp_transform(ValueId id, const VjpOp& vjp, const TransformOp& transform) {
  const Op& op = program_.op(id);
  const VjpReads reads_of_vjp = reads_of(vjp);
  std::vector<Read> reads;
  for (const ValueId operand : op.operands) reads.push_back(read_of(operand));
  const Spot spot = find_spot(op.rows, reads, OpPace::ByEntry);
  KernelNode node = node_of(KernelNode::Kind::TransformVjp, op.shape);
  node.transformation = transform.transformation;
  node.reads_x = reads_of_vjp.operands;
  node.reads_y = reads_of_vjp.result;
  set_words(spot, transform, node);
  for (const Read& read : reads) node.operands.push_back(read_node(spot, read));
  finish(id, spot, groups[spot.group].add(std::move(node), spot.space));
}

// A row that all rows read gets the sum of what they pass on.
void Lowering::lower_vjp_map(ValueId id, const VjpOp& vjp, const MapOp& map) {
  const Op& op = program_.op(id);
  const std::uint32_t rows = program_.op(op.operands.back()).rows;
  if (rows == 0 && op.rows > 0) {  // nobody read it
    const Spot spot = new_group(op.rows, {});
    return finish(id, spot, add_zeros(spot, op.shape));
  }
  const std::vector<Read> reads = map_reads(op.operands, rows);
  const Spot spot = find_spot(rows, reads, OpPace::ByEntry);
  std::vector<NodeIndex> operands;
  for (const Read& read : reads) operands.push_back(read_node(spot, read));
  const NodeIndex g = operands.back();
  operands.pop_back();
  KernelGroup& group = groups[spot.group];
  ExprNodes nodes(group, spot.space, *map.expr, operands);
  const auto gradient = nodes.differentiate(vjp.wrt, g);
  // The expression may not read the operand: nothing comes back.
  const NodeIndex node =
      gradient ? add_guard(group, spot.space, g, *gradient) : add_zeros(spot, op.shape);
  if (op.rows == rows) return finish(id, spot, node);
  const ValueId each = add_temporary(rows, op.shape);
  finish(each, spot, node);
  reduce(id, {each, std::nullopt, op.shape}, Segments::fixed(rows), 1, Combination::Sum);
}

NodeIndex Lowering::add_zeros(Spot spot, Shape shape) {
  KernelGroup& group = groups[spot.group];
  const NodeIndex zero = group.constant(0, spot.space);
  if (shape.is_scalar()) return zero;
  KernelNode all = node_of(KernelNode::Kind::Transform, shape);
  all.transformation.id = Transformation::Broadcast;
  all.transformation.target = shape;
  all.operands = {zero};
  return group.add(std::move(all), spot.space);
}

void Lowering::lower_vjp_segment(ValueId id, const SegmentOp& segment) {
  const Op& op = program_.op(id);
  const Read g = read_of(op.operands.back());
  switch (segment.combination) {
    case Combination::Max:
    case Combination::Min:
      select_gradient(id, read_of(op.operands[0]), g, segment.segments, segment.combination);
      return;
    case Combination::ElProduct:
      product_gradient(id, read_of(op.operands[0]), g, g, segment.segments);
      return;
    case Combination::Softmax:
    case Combination::Sparsemax: softmax_gradient(id, read_of(op.operands[0]), g, segment); return;
    case Combination::Concat: reinterpret(id, g); return;
    case Combination::Sum:
    case Combination::Avg: spread_gradient(id, g, segment); return;
    case Combination::Count: {
      const Spot spot = new_group(op.rows, {});
      finish(id, spot, add_zeros(spot, op.shape));
      return;
    }
    case Combination::Product:
    case Combination::CrossSum:
    case Combination::CosSim:
    case Combination::FunctionGraph: break;
  }
  fail_check("a segment", __FILE__, __LINE__, op.note);
}

// Every member gets the segment's gradient, or its share of it.
void Lowering::spread_gradient(ValueId id, const Read& g, const SegmentOp& segment) {
  if (const auto pieces = cut_segments(segment.segments, row_count(g),
                                       piece_length(g, segment.segments, row_count(g)))) {
    return spread_to_pieces(id, g, segment, *pieces);
  }
  const Spot spot{new_group(row_count(g), std::span(&g, 1)).group, KernelSpace::Member};
  KernelGroup& group = groups[spot.group];
  group.set_segments(segment.segments, values[id].rows);
  NodeIndex share = kNone;
  if (segment.combination == Combination::Avg) {
    KernelNode count = node_of(KernelNode::Kind::Reduce, Shape::scalar());
    count.combination = Combination::Count;
    KernelNode inverse = node_of(KernelNode::Kind::Transform, Shape::scalar());
    inverse.transformation.id = Transformation::Inverse;
    inverse.operands = {group.add(std::move(count), KernelSpace::Member)};
    share = group.add(std::move(inverse), KernelSpace::Row);
  }
  const NodeIndex row = read_row(spot, g);
  group.begin_phase(KernelSpace::Member);
  if (share == kNone) share = group.constant(1, KernelSpace::Member);
  finish(id, spot, add_entry_product(group, spot.space, row, share));
}

// The member that was selected gets the segment's gradient.
void Lowering::select_gradient(ValueId id, const Read& x, const Read& g, const Segments& segments,
                               Combination combination, bool skips_nan) {
  if (const auto pieces = cut_segments(
          segments, row_count(g), piece_length(g, segments, row_count(g)), /*first_alone=*/true)) {
    return select_in_pieces(id, x, g, combination, *pieces);
  }
  const Spot spot = find_segments(x, segments, row_count(g), std::span(&g, 1));
  KernelNode arg = node_of(KernelNode::Kind::ReduceArg, Shape::scalar());
  arg.combination = combination;
  arg.skips_nan = skips_nan;
  arg.operands = {read_node(spot, x)};
  const NodeIndex selected = groups[spot.group].add(std::move(arg), spot.space);
  const NodeIndex row = read_row(spot, g);
  KernelNode node = node_of(KernelNode::Kind::Selected, values[id].shape);
  node.operands = {selected, row};
  groups[spot.group].begin_phase(KernelSpace::Member);
  finish(id, spot, groups[spot.group].add(std::move(node), spot.space));
}

// The product of the others: of those before a member, then, backwards, of those after it.
void Lowering::product_gradient(ValueId id, const Read& x, const Read& g, const Read& guard,
                                const Segments& segments) {
  if (const auto pieces =
          cut_segments(segments, row_count(g), piece_length(g, segments, row_count(g)))) {
    return product_gradient_of_pieces(id, x, g, guard, *pieces);
  }
  const Read others[] = {g, guard};
  const Spot spot = find_segments(x, segments, row_count(g), others);
  const auto scan = [&](NodeIndex of) {
    KernelNode node = node_of(KernelNode::Kind::Scan, values[id].shape);
    node.operands = {of};
    return groups[spot.group].add(std::move(node), spot.space);
  };
  const ValueId before = add_temporary(row_count(x), values[id].shape);
  finish(before, spot, scan(read_node(spot, x)));
  const NodeIndex row = read_row(spot, g);
  const NodeIndex zeros = read_row(spot, guard);
  KernelGroup& group = groups[spot.group];
  group.begin_phase(KernelSpace::Member, /*reversed=*/true);
  const NodeIndex after = scan(load_node(spot, x));
  const NodeIndex first = load_node(spot, {before, std::nullopt, values[id].shape});
  KernelNode node = node_of(KernelNode::Kind::Combine, values[id].shape);
  node.combination = Combination::ElProduct;
  node.operands = {row, first, after};
  finish(id, spot, add_guard(group, spot.space, zeros, group.add(std::move(node), spot.space)));
}

// softmax: y (g - sum of y g); sparsemax: where y > 0, g - mean of g over those.
void Lowering::softmax_gradient(ValueId id, const Read& y, const Read& g,
                                const SegmentOp& segment) {
  const bool is_sparse = segment.combination == Combination::Sparsemax;
  const std::uint32_t rows = segment.segments.count(row_count(y));
  if (const auto pieces = cut_segments(
          segment.segments, rows, piece_length(g, segment.segments, rows, MemberKind::Softmax))) {
    return softmax_gradient_of_pieces(id, y, g, is_sparse, *pieces);
  }
  const Spot spot = find_segments(y, segment.segments, rows, std::span(&g, 1));
  const auto at = [&]() -> KernelGroup& { return groups[spot.group]; };
  const auto sum_of = [&](NodeIndex of) {
    return at().add(node_of(KernelNode::Kind::Reduce, Shape::scalar(), {of}), spot.space);
  };
  const NodeIndex w = softmax_weight(spot, y, is_sparse);
  NodeIndex mean = sum_of(softmax_part(spot, w, g));
  if (is_sparse) {
    const Spot row{spot.group, KernelSpace::Row};
    mean = add_entry_product(at(), row.space, mean, add_inverse(row, sum_of(w)));
  }
  at().begin_phase(KernelSpace::Member);
  finish_softmax_gradient(id, spot, y, g, mean, is_sparse);
}

NodeIndex Lowering::softmax_weight(Spot spot, const Read& y, bool is_sparse) {
  const NodeIndex read = read_node(spot, y);
  if (!is_sparse) return read;
  KernelNode sign = node_of(KernelNode::Kind::Transform, Shape::scalar(), {read});
  sign.transformation.id = Transformation::Signum;
  return groups[spot.group].add(std::move(sign), spot.space);
}

// Where g is zero, a y that is no number has no part.
NodeIndex Lowering::softmax_part(Spot spot, NodeIndex weight, const Read& g) {
  const NodeIndex each = read_node(spot, g);
  KernelGroup& group = groups[spot.group];
  return add_guard(group, spot.space, each, add_entry_product(group, spot.space, weight, each));
}

void Lowering::finish_softmax_gradient(ValueId id, Spot spot, const Read& y, const Read& g,
                                       NodeIndex mean, bool is_sparse) {
  const NodeIndex w = softmax_weight(spot, y, is_sparse);
  const NodeIndex each = read_node(spot, g);
  KernelGroup& group = groups[spot.group];
  KernelNode difference = node_of(KernelNode::Kind::Combine, Shape::scalar());
  difference.operands = {
      each, add_entry_product(group, spot.space, mean, group.constant(-1, spot.space))};
  const NodeIndex apart = group.add(std::move(difference), spot.space);
  finish(id, spot,
         add_guard(group, spot.space, apart, add_entry_product(group, spot.space, w, apart)));
}

}  // namespace vecc
