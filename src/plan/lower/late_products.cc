// Rows times numbers that one sum reads: its loop over members computes them, row by row as it
// comes to them, so that they are never stored. What is read to do so (rows, numbers) is there
// anyway. The same of rows from all over the memory times one number, which one map reads.
#include <algorithm>
#include <utility>
#include <vector>

#include "src/plan/lower/expr_nodes.h"
#include "src/plan/lower/lowering.h"

namespace vecc {
namespace {

// Shorter rows are stored in the time that one more number a member takes to be read: on a
// processor. A GPU takes longer to begin one more kernel.
constexpr std::uint64_t kShortest = 8;

bool sums(const Op& op) {
  const auto* segment = std::get_if<SegmentOp>(&op.attributes);
  return segment != nullptr &&
         (segment->combination == Combination::Sum || segment->combination == Combination::Avg);
}

}  // namespace

// Those that nobody reads but one sum, each of them once at most.
void Lowering::find_late_products() {
  late_products_.assign(program_.ops().size(), false);
  map_products_.assign(program_.ops().size(), false);
  if (options_.keep_values || !options_.fuse) return;
  std::vector<std::uint32_t> readers(program_.ops().size(), 0);
  for (ValueId id = 0; id < program_.ops().size(); ++id) {
    const Op& op = program_.op(id);
    if (op.kind() == OpKind::Gather || sources.value_of(id) != id)
      continue;  // reads nothing itself
    for (const ValueId operand : op.operands) {
      const ValueSource& source = sources[operand];
      ++readers[source.value];
      const bool once = !source.index || source.index->size() <= program_.op(source.value).rows;
      if (sums(op) && once && is_late_product(source.value)) late_products_[source.value] = true;
      if (op.kind() == OpKind::Map && !source.index && scales_gathered(source.value)) {
        map_products_[source.value] = true;
      }
    }
  }
  for (const ValueId id : options_.kept) {
    late_products_[sources.value_of(id)] = map_products_[sources.value_of(id)] = false;
  }
  for (ValueId id = 0; id < program_.ops().size(); ++id) {
    if (readers[id] != 1) late_products_[id] = map_products_[id] = false;
  }
}

// One number times rows that are gathered; on a GPU, where a kernel less is worth it.
bool Lowering::scales_gathered(ValueId id) const {
  if (options_.target.has_vectors() || !is_late_product(id)) return false;
  const std::array<Read, 2> reads = product_reads(id);
  const std::size_t number = reads[0].shape.is_scalar() ? 0 : 1;
  return reads[number].one && reads[1 - number].index && !reads[1 - number].one;
}

bool Lowering::is_map_product(ValueId id) const {
  return id < map_products_.size() && map_products_[id];
}

std::array<Read, 2> Lowering::product_reads(ValueId id) const {
  return linear_reads(id, std::get<LinearOp>(program_.op(id).attributes), std::nullopt);
}

// The product itself, by a row of the map.
NodeIndex Lowering::product_node(Spot spot, ValueId id) {
  const auto& linear = std::get<LinearOp>(program_.op(id).attributes);
  const std::array<Read, 2> reads = product_reads(id);
  const NodeIndex left = read_node(spot, reads[0]);
  const NodeIndex right = read_node(spot, reads[1]);
  const ValueId reader = std::exchange(op_, id);
  KernelGroup& group = groups[spot.group];
  note_op(group);
  op_ = reader;
  const NodeIndex product =
      add_times(group, spot.space, left, right, linear.transpose_left, linear.transpose_right);
  return add_reshape(group, spot.space, product, program_.op(id).shape);
}

bool Lowering::is_late_product(ValueId id) const {
  const Op& op = program_.op(id);
  if (op.kind() != OpKind::Linear || places[id].buffer != id) return false;
  const auto is_number = [&](ValueId operand) { return program_.op(operand).shape.is_scalar(); };
  const bool is_row = op.shape.is_vector() || op.shape.is_scalar();
  return is_row && op.shape.size() >= (options_.target.has_vectors() ? kShortest : 1) &&
         std::ranges::any_of(op.operands, is_number);
}

// The members of segments: those that are not there yet are computed, in their order.
Read Lowering::make_members(const Read& members, const Segments& segments) {
  const ValueId id = members.value;
  if (id >= late_products_.size() || !late_products_[id]) return members;
  const ValueId made = members.index ? add_temporary(members.index->size(), members.shape) : id;
  const ValueId reader = std::exchange(op_, id);
  own_segments_ = &segments;
  lower_linear(id, std::get<LinearOp>(program_.op(id).attributes), made, members.index);
  own_segments_ = nullptr;
  op_ = reader;
  return {made, std::nullopt, members.shape};
}

}  // namespace vecc
