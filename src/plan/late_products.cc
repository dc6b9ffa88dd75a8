// Rows times numbers that one sum reads: its loop over members computes them, row by row as it
// comes to them, so that they are never stored. What is read to do so (rows, numbers) is there
// anyway.
#include <algorithm>
#include <utility>
#include <vector>

#include "src/plan/lowering.h"

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
  if (options_.keep_values || !options_.fuse) return;
  std::vector<std::uint32_t> readers(program_.ops().size(), 0);
  for (ValueId id = 0; id < program_.ops().size(); ++id) {
    const Op& op = program_.op(id);
    if (op.kind() == OpKind::Gather || sources[id].value != id) continue;  // reads nothing itself
    for (const ValueId operand : op.operands) {
      const ValueSource& source = sources[operand];
      ++readers[source.value];
      const bool once = !source.index || source.index->size() <= program_.op(source.value).rows;
      if (sums(op) && once && is_late_product(source.value)) late_products_[source.value] = true;
    }
  }
  for (const ValueId id : options_.kept) late_products_[sources[id].value] = false;
  for (ValueId id = 0; id < program_.ops().size(); ++id) {
    if (readers[id] != 1) late_products_[id] = false;
  }
}

bool Lowering::is_late_product(ValueId id) const {
  const Op& op = program_.op(id);
  if (op.kind() != OpKind::Linear || places[id].buffer != id) return false;
  const auto is_number = [&](ValueId operand) { return program_.op(operand).shape.is_scalar(); };
  const bool is_row = op.shape.is_vector() || op.shape.is_scalar();
  return is_row && op.shape.size() >= (options_.for_vectors ? kShortest : 1) &&
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
