// Over the members of segments.
#include <algorithm>
#include <memory>

#include "src/plan/expr_nodes.h"
#include "src/plan/lowering.h"
#include "src/program/inverse_index.h"

namespace vecc {
namespace {

// A longer segment is summed in pieces, which other threads (blocks) may take, then those.
constexpr std::uint32_t kChunk = 2048;

std::vector<std::uint32_t> offsets_of(const Segments& segments, std::uint32_t rows) {
  if (!segments.is_fixed()) return {segments.offsets().begin(), segments.offsets().end()};
  std::vector<std::uint32_t> offsets;
  for (std::uint32_t s = 0; s <= rows; ++s) offsets.push_back(s * segments.members());
  return offsets;
}

bool has_long(const Segments& segments, std::uint32_t rows) {
  if (segments.is_fixed()) {
    return segments.members() > kChunk && (segments.dimension() == 2 || rows == 1);
  }
  const auto offsets = segments.offsets();
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    if (offsets[s + 1] - offsets[s] > kChunk) return true;
  }
  return false;
}

}  // namespace

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
                      Combination combination) {
  const bool adds = combination == Combination::Sum || combination == Combination::Avg;
  if (adds && has_long(segments, rows)) {
    reduce_chunks(id, members, offsets_of(segments, rows), combination);
    return;
  }
  const Spot spot = find_segments(members, segments, rows);
  KernelNode node = node_of(KernelNode::Kind::Reduce, values[id].shape, {read_node(spot, members)});
  node.combination = combination;
  finish(id, spot, groups[spot.group].add(std::move(node), spot.space));
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

void Lowering::reduce_chunks(ValueId id, const Read& members,
                             std::span<const std::uint32_t> offsets, Combination combination) {
  std::vector<std::uint32_t> pieces{0};      // members of each chunk
  std::vector<std::uint32_t> of_segment{0};  // chunks of each segment
  std::vector<double> shares;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    for (std::uint32_t e = offsets[s]; e < offsets[s + 1]; e += kChunk) {
      pieces.push_back(std::min(e + kChunk, offsets[s + 1]));
    }
    of_segment.push_back(static_cast<std::uint32_t>(pieces.size() - 1));
    const std::uint32_t count = offsets[s + 1] - offsets[s];
    shares.push_back(count == 0 ? 0.0 : 1.0 / count);
  }
  const Shape shape = values[id].shape;
  const auto chunks = static_cast<std::uint32_t>(pieces.size() - 1);
  const auto rows = static_cast<std::uint32_t>(of_segment.size() - 1);
  const ValueId partial = add_temporary(chunks, shape);
  reduce(partial, members, Segments::ragged(std::move(pieces)), chunks, Combination::Sum);
  const Read read{partial, std::nullopt, shape};
  const Segments segments = Segments::ragged(std::move(of_segment));
  if (combination == Combination::Sum) return reduce(id, read, segments, rows, combination);
  const ValueId sum = add_temporary(rows, shape);
  reduce(sum, read, segments, rows, Combination::Sum);
  const ValueId share = add_temporary(
      rows, Shape::scalar(), std::make_shared<const std::vector<double>>(std::move(shares)));
  const Read reads[] = {{sum, std::nullopt, shape}, {share, std::nullopt, Shape::scalar()}};
  const Spot spot = find_spot(rows, reads, OpPace::ByEntry);
  const NodeIndex a = read_node(spot, reads[0]);
  const NodeIndex b = read_node(spot, reads[1]);
  finish(id, spot, add_entry_product(groups[spot.group], spot.space, a, b));
}

// exp(x - max) is kept between the two walks that need it.
void Lowering::softmax_members(ValueId id, const Read& members, const Segments& segments) {
  const std::uint32_t rows = segments.count(row_count(members));
  const Spot spot = find_segments(members, segments, rows);
  const auto at = [&]() -> KernelGroup& { return groups[spot.group]; };
  KernelNode largest =
      node_of(KernelNode::Kind::Reduce, Shape::scalar(), {read_node(spot, members)});
  largest.combination = Combination::Max;
  const NodeIndex max = at().add(std::move(largest), spot.space);

  at().begin_phase(KernelSpace::Member);
  const NodeIndex x = read_node(spot, members);
  const NodeIndex minus = add_entry_product(at(), spot.space, max, at().constant(-1, spot.space));
  KernelNode difference = node_of(KernelNode::Kind::Combine, Shape::scalar(), {x});
  difference.operands.push_back(minus);
  KernelNode power = node_of(KernelNode::Kind::Transform, Shape::scalar(),
                             {at().add(std::move(difference), spot.space)});
  power.transformation.id = Transformation::Exp;
  const NodeIndex e = at().add(std::move(power), spot.space);
  const ValueId powers = add_temporary(row_count(members), Shape::scalar());
  finish(powers, spot, e);
  const NodeIndex sum =
      at().add(node_of(KernelNode::Kind::Reduce, Shape::scalar(), {e}), spot.space);

  at().begin_phase(KernelSpace::Member);
  KernelNode inverse = node_of(KernelNode::Kind::Transform, Shape::scalar(), {sum});
  inverse.transformation.id = Transformation::Inverse;
  const NodeIndex share = at().add(std::move(inverse), spot.space);
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
  reduce(id, {products, std::nullopt, contract.weight_shape}, Segments::ragged(readers.offsets),
         op.rows, Combination::Sum);
}

}  // namespace vecc
