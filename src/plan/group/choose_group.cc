// Which group an op joins.
#include <algorithm>

#include "src/plan/lower/lowering.h"
#include "src/plan/slow_function.h"

namespace vecc {
namespace {

// Kernels stay small: they are compiled one by one, and their arguments are listed in registers.
constexpr std::size_t kMaxNodes = 64;
constexpr std::size_t kMaxAccesses = 24;
// A left side of this many entries that many rows share is worth a blocked product: its group keeps
// its rows.
constexpr std::uint64_t kBlockedProduct = 64;

bool has_blocked_product(const Kernel& kernel, std::uint32_t least_entries) {
  return std::ranges::any_of(kernel.nodes, [&](const KernelNode& node) {
    if (node.kind != KernelNode::Kind::Times || node.shape.size() < least_entries) return false;
    const KernelNode& left = kernel.nodes[node.operands[0]];
    return left.kind == KernelNode::Kind::Load && left.shape.is_matrix() &&
           left.shape.size() >= kBlockedProduct &&
           (kernel.accesses[left.access].map == RowMap::One ||
            kernel.accesses[left.access].map == RowMap::Tile);
  });
}

// Short rows with a function of many instructions: a loop over all entries computes eight at a
// time, a loop inside of a row does not.
bool has_slow_row(const Kernel& kernel) {
  return std::ranges::any_of(kernel.nodes, [](const KernelNode& node) {
    const bool applies = node.kind == KernelNode::Kind::Transform;
    return applies && is_slow_row(node.transformation.id, node.shape);
  });
}

// Whether a loop over the kernel's rows still runs on whole vectors.
bool keeps_vectors(const Kernel& kernel, Shape first_read, OpPace pace) {
  if (pace == OpPace::Slow) return is_flat(kernel, first_read.size());
  const bool by_row = pace == OpPace::ByRow || pace == OpPace::Product;
  return !by_row || !has_slow_row(kernel);
}

}  // namespace

// Whether its product runs in blocks of rows.
bool Lowering::keeps_rows(const KernelGroup& group) const {
  return has_blocked_product(group.kernel(), options_.least_blocked_entries);
}

std::uint32_t Lowering::row_count(const Read& read) const {
  return read.index ? read.index->size() : values[read.value].rows;
}

bool Lowering::is_in_register(Spot spot, const Read& read) const {
  const ValueState& state = values[read.value];
  if (state.group != spot.group || read.one) return false;
  if (!read.index) return state.space == spot.space;
  return spot.space == KernelSpace::Member && state.space == KernelSpace::Row &&
         is_own_segment(groups[spot.group], read);
}

bool Lowering::joins(Spot spot, std::uint32_t rows, std::span<const Read> reads, OpPace pace) {
  KernelGroup& group = groups[spot.group];
  const std::uint32_t group_rows = spot.space == KernelSpace::Row ? group.rows() : group.members();
  if (group_rows != rows || group.stage() != stage_ || group.closed) return false;
  if (group.size() > kMaxNodes || group.accesses().size() > kMaxAccesses) return false;
  if (options_.target.has_vectors() && !keeps_vectors(group.kernel(), reads[0].shape, pace))
    return false;
  // Two in one kernel are hardly faster, or slower: docs/plan.md has the times.
  if (pace == OpPace::Product && keeps_rows(group)) return false;
  std::uint32_t level = 0;
  for (const Read& read : reads) {
    if (is_in_register(spot, read)) continue;
    // Rows of this very group, in another order: they must be there before.
    if (values[read.value].group == spot.group) return false;
    level = std::max(level, ready(read.value));
  }
  if (level < group.level) return true;
  if (group.frozen) return false;
  group.level = level + 1;
  return true;
}

Spot Lowering::new_group(std::uint32_t rows, std::span<const Read> reads) {
  groups.emplace_back(program_.dtype(), rows, stage_);
  KernelGroup& group = groups.back();
  for (const Read& read : reads) group.level = std::max(group.level, ready(read.value) + 1);
  return {static_cast<GroupIndex>(groups.size() - 1), KernelSpace::Row};
}

Spot Lowering::find_spot(std::uint32_t rows, std::span<const Read> reads, OpPace pace) {
  std::vector<Spot> candidates;
  for (const Read& read : reads) {
    const ValueState& state = values[read.value];
    if (state.group == kNone || read.index || read.one) continue;
    const std::optional<Segments>& segments = groups[state.group].segments();
    if (own_segments_ != nullptr && segments && *segments != *own_segments_) continue;
    candidates.push_back({state.group, state.space});
  }
  // Of the highest level first: it can wait for the others.
  std::ranges::stable_sort(candidates, [&](const Spot& a, const Spot& b) {
    return groups[a.group].level > groups[b.group].level;
  });
  if (options_.fuse) {
    for (const Spot& spot : candidates) {
      if (!joins(spot, rows, reads, pace)) continue;
      if (spot.space == KernelSpace::Member) open_member_phase(spot, reads);
      return spot;
    }
  }
  return new_group(rows, reads);
}

bool Lowering::can_absorb(const KernelGroup& group) const {
  return options_.fuse && !group.has_segments() && group.stage() == stage_ &&
         group.size() <= kMaxNodes && group.types == kNone && !keeps_rows(group) &&
         !(options_.target.has_vectors() && has_slow_row(group.kernel()));
}

Spot Lowering::find_segments(const Read& members, const Segments& segments,
                             std::uint32_t segment_rows, std::span<const Read> others) {
  std::vector<Read> reads(others.begin(), others.end());
  reads.push_back(members);
  const std::uint32_t rows = row_count(members);
  const ValueState& state = values[members.value];
  if (state.group != kNone && !members.index && !members.one && options_.fuse) {
    const Spot spot{state.group, KernelSpace::Member};
    KernelGroup& group = groups[state.group];
    if (group.has_segments() && state.space == KernelSpace::Member &&
        *group.segments() == segments && joins(spot, rows, reads, OpPace::ByRow)) {
      open_member_phase(spot, reads);
      return spot;
    }
    if (can_absorb(group) && joins({state.group, KernelSpace::Row}, rows, reads, OpPace::ByRow)) {
      group.become_members(segments, segment_rows);
      for (const auto& [value, node] : group.values) values[value].space = KernelSpace::Member;
      return spot;
    }
  }
  const Spot spot = new_group(segment_rows, reads);
  groups[spot.group].set_segments(segments, rows);
  return {spot.group, KernelSpace::Member};
}

void Lowering::open_member_phase(Spot spot, std::span<const Read> reads) {
  KernelGroup& group = groups[spot.group];
  bool opens = group.kernel().phases.empty() ||
               group.kernel().phases.back().space != KernelSpace::Member ||
               group.kernel().phases.back().reversed;
  for (const Read& read : reads) {
    const ValueState& state = values[read.value];
    if (state.group != spot.group || !is_in_register(spot, read)) continue;
    if (state.space == KernelSpace::Row && !group.is_visible(state.node, spot.space)) opens = true;
  }
  if (opens) group.begin_phase(KernelSpace::Member);
}

void Lowering::finish(ValueId id, Spot spot, NodeIndex node) {
  KernelGroup& group = groups[spot.group];
  ValueState& state = values[id];
  state.group = spot.group;
  state.node = node;
  state.space = group.space_of(node);
  note_op(group);
  group.values.emplace_back(id, node);
}

}  // namespace vecc
