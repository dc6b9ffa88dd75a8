// Over the members of segments.
#include "src/plan/lower/expr_nodes.h"
#include "src/plan/lower/lowering.h"
#include "src/program/inverse_index.h"

namespace vecc {
void Lowering::lower_segment(ValueId id, const SegmentOp& segment) {
  const Op& op = program_.op(id);
  const Read read = read_of(op.operands[0]);
  switch (segment.combination) {
    case Combination::Sum:
    case Combination::Avg:
    case Combination::ElProduct:
    case Combination::Max:
    case Combination::Min: reduce(id, read, segment.segments, op.rows, segment.combination); return;
    case Combination::Count:
      count_members(id, segment.segments, op.rows, program_.op(op.operands[0]).rows);
      return;
    case Combination::Softmax: softmax_members(id, read, segment.segments); return;
    case Combination::Sparsemax: sparsemax_members(id, read, segment.segments); return;
    case Combination::Concat: reinterpret(id, read); return;
    case Combination::Product:
    case Combination::CrossSum:
    case Combination::CosSim:
    case Combination::FunctionGraph: break;
  }
  fail_check("a segment", __FILE__, __LINE__, op.note);
}

void Lowering::reduce(ValueId id, const Read& members, const Segments& segments, std::uint32_t rows,
                      Combination combination, bool skips_nan, MemberKind kind) {
  const bool selects = combination == Combination::Max || combination == Combination::Min;
  if (const auto pieces =
          cut_segments(segments, rows, piece_length(members, segments, rows, kind), selects)) {
    if (is_stored_apart(id, *pieces, combination)) {
      return reduce_apart(id, members, segments, *pieces, combination);
    }
    if (combination == Combination::Avg) return average_pieces(id, members, segments, *pieces);
    return reduce_pieces(id, members, *pieces, combination, MemberKind::Pieces);
  }
  const Read made = make_members(members, segments);
  const Spot spot = find_segments(made, segments, rows);
  const NodeIndex member = read_node(spot, made);
  KernelNode node = node_of(KernelNode::Kind::Reduce, values[id].shape, {member});
  node.combination = combination;
  node.skips_nan = skips_nan;
  KernelGroup& group = groups[spot.group];
  finish(id, spot, group.add(std::move(node), spot.space));
  const bool of_products = group.kernel().nodes[member].kind == KernelNode::Kind::Times;
  group.closed = of_products && is_shared_by_blocks(values[id].shape);
}

void Lowering::count_members(ValueId id, const Segments& segments, std::uint32_t rows,
                             std::uint32_t members) {
  const Spot spot = new_group(rows, {});
  groups[spot.group].set_segments(segments, members);
  KernelNode node;
  node.kind = KernelNode::Kind::Reduce;
  node.combination = Combination::Count;
  finish(id, spot, groups[spot.group].add(std::move(node), KernelSpace::Member));
}

// exp(x - max)
NodeIndex Lowering::add_power(Spot spot, NodeIndex x, NodeIndex max) {
  KernelGroup& group = groups[spot.group];
  const NodeIndex minus = add_entry_product(group, spot.space, max, group.constant(-1, spot.space));
  KernelNode difference = node_of(KernelNode::Kind::Combine, Shape::scalar(), {x});
  difference.operands.push_back(minus);
  KernelNode power = node_of(KernelNode::Kind::Transform, Shape::scalar(),
                             {group.add(std::move(difference), spot.space)});
  power.transformation.id = Transformation::Exp;
  return group.add(std::move(power), spot.space);
}

NodeIndex Lowering::add_inverse(Spot spot, NodeIndex x) {
  KernelNode inverse = node_of(KernelNode::Kind::Transform, Shape::scalar(), {x});
  inverse.transformation.id = Transformation::Inverse;
  return groups[spot.group].add(std::move(inverse), spot.space);
}

// exp(x - max) is kept between the two walks that need it.
void Lowering::softmax_members(ValueId id, const Read& members, const Segments& segments) {
  const std::uint32_t rows = segments.count(row_count(members));
  if (const auto pieces =
          cut_segments(segments, rows, piece_length(members, segments, rows, MemberKind::Softmax)))
    return softmax_pieces(id, members, *pieces);
  const Spot spot = find_segments(members, segments, rows);
  const auto at = [&]() -> KernelGroup& { return groups[spot.group]; };
  KernelNode largest =
      node_of(KernelNode::Kind::Reduce, Shape::scalar(), {read_node(spot, members)});
  largest.combination = Combination::Max;
  const NodeIndex max = at().add(std::move(largest), spot.space);

  at().begin_phase(KernelSpace::Member);
  const NodeIndex e = add_power(spot, read_node(spot, members), max);
  const ValueId powers = add_temporary(row_count(members), Shape::scalar());
  finish(powers, spot, e);
  const NodeIndex sum =
      at().add(node_of(KernelNode::Kind::Reduce, Shape::scalar(), {e}), spot.space);

  const NodeIndex share = add_inverse({spot.group, KernelSpace::Row}, sum);
  at().begin_phase(KernelSpace::Member);
  const NodeIndex again = read_node(spot, {powers, std::nullopt, Shape::scalar()});
  finish(id, spot, add_entry_product(at(), spot.space, again, share));
}

void Lowering::sparsemax_members(ValueId id, const Read& members, const Segments& segments) {
  const std::uint32_t rows = segments.count(row_count(members));
  const Spot spot = find_segments(members, segments, rows);
  KernelGroup& group = groups[spot.group];
  group.begin_phase(KernelSpace::Member);  // what it loads may have been stored just before
  const NodeIndex loaded = load_node(spot, members);
  const NodeIndex threshold =
      group.add(node_of(KernelNode::Kind::Threshold, Shape::scalar(), {loaded}), spot.space);
  group.begin_phase(KernelSpace::Member);
  const NodeIndex x = load_node(spot, members);
  const NodeIndex minus =
      add_entry_product(group, spot.space, threshold, group.constant(-1, spot.space));
  KernelNode difference = node_of(KernelNode::Kind::Combine, Shape::scalar(), {x});
  difference.operands.push_back(minus);
  KernelNode positive = node_of(KernelNode::Kind::Transform, Shape::scalar(),
                                {group.add(std::move(difference), spot.space)});
  positive.transformation.id = Transformation::Relu;
  finish(id, spot, group.add(std::move(positive), spot.space));
}

// The same numbers as rows of another length: no data moves, unless rows are read out of order or
// the result has a place of its own.
void Lowering::reinterpret(ValueId id, const Read& read) {
  if (read.index || places[id].buffer != id || is_constant_one(read.value)) {
    copy_rows(id, read, row_count(read), 0);
    return;
  }
  values[id].alias = read.value;
  values[id].ready = ready(read.value);
  freeze(read.value);
}

// dW[t] = the sum over the rows of type t of the gradient of `times(w, x)` by w.
void Lowering::lower_contract(ValueId id, const ContractOp& contract) {
  const Op& op = program_.op(id);
  const InverseIndex readers = inverse_index(contract.types, contract.type_count);
  const Index order = Index::compact(readers.readers);
  Read reads[2];
  for (const std::size_t k : {0u, 1u}) {
    reads[k] = read_of(op.operands[k]);
    reads[k].index =
        through({reads[k].value, reads[k].index}, order, values[reads[k].value].rows).index;
  }
  // By itself, so that the sum takes it in: a product a row is never stored.
  const Spot spot = new_group(order.size(), reads);
  KernelGroup& group = groups[spot.group];
  const NodeIndex g = read_node(spot, reads[0]);
  const NodeIndex x = read_node(spot, reads[1]);
  const NodeIndex product =
      add_times_gradient(group, spot.space, g, x, contract.weight_shape, true);
  const ValueId products = add_temporary(order.size(), contract.weight_shape);
  finish(products, spot, product);
  const bool are_columns = !reads[0].shape.is_scalar() && !reads[1].shape.is_scalar();
  reduce(id, {products, std::nullopt, contract.weight_shape}, Segments::ragged(readers.offsets),
         op.rows, Combination::Sum, false,
         are_columns ? MemberKind::OuterProducts : MemberKind::Rows);
}

}  // namespace vecc
