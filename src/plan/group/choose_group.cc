#include "src/plan/group/choose_group.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "src/kernel/schedule/outer_products.h"

namespace vecc {
namespace {

// Kernels stay small: they are compiled one by one, and their arguments are listed in registers.
constexpr std::size_t kMaxNodes = 64;
constexpr std::size_t kMaxAccesses = 24;
// A left side of this many entries that many rows share is worth a blocked product: its group keeps
// its rows.
constexpr std::uint64_t kBlockedProduct = 64;
// Rows of so many entries take longer to be loaded than a kernel to be started.
constexpr std::uint64_t kWideRow = 32;

// Short rows with a function of many instructions: a loop over all entries computes eight at a
// time, a loop inside of a row does not.
bool has_slow_row(const Kernel& kernel) {
  return std::ranges::any_of(kernel.nodes, [](const KernelNode& node) {
    return node.kind == KernelNode::Kind::Transform &&
           is_slow_row(node.transformation.id, node.shape);
  });
}

// Whether a loop over the kernel's rows still runs on whole vectors.
bool keeps_vectors(const Kernel& kernel, const GroupRequest& request) {
  if (request.loop == EntryLoop::Any) return true;
  if (request.loop != EntryLoop::Slow) return !has_slow_row(kernel);
  return is_flat(kernel, request.reads[0].shape.size());
}

// Whether reading by member is reading the member's segment.
bool is_own_segment(const KernelGroup& group, const RowRead& read) {
  if (!read.index || !group.has_segments() || read.index->size() != group.members()) return false;
  const Segments& segments = *group.segments();
  const Index& index = *read.index;
  if (!segments.is_fixed()) {
    const auto offsets = segments.offsets();
    for (std::uint32_t s = 0; s + 1 < offsets.size(); ++s) {
      for (std::uint32_t e = offsets[s]; e < offsets[s + 1]; ++e) {
        if (index[e] != s) return false;
      }
    }
    return true;
  }
  const bool adjacent = segments.dimension() == 2;
  for (std::uint32_t e = 0; e < index.size(); ++e) {
    if (index[e] != (adjacent ? e / segments.members() : e % group.rows())) return false;
  }
  return true;
}

// Whether a sum of what is asked for may join the group after it: where it may not, its members are
// stored.
bool has_room_for_sum(const KernelGroup& group, const GroupRequest& request) {
  constexpr std::size_t kNodes = 16;  // of a function, as of the gradient of a message
  const std::size_t reads = request.reads.size();
  return group.size() + reads + kNodes <= kMaxNodes &&
         group.accesses().size() + reads <= kMaxAccesses && !has_slow_row(group.kernel());
}

// As GroupChooser::runs_in_blocks, of a product that is not in a kernel yet.
bool would_run_in_blocks(const GroupRequest& request, const Target& target) {
  const Shape matrix = request.reads[0].shape;
  const Shape column = request.reads[1].shape;
  return target.has_shared_memory() && column.cols() == 1 && matrix.size() >= kBlockedProduct &&
         matrix.size() / column.size() >= least_blocked_entries(target);
}

}  // namespace

bool has_node(const Grouping& grouping, GroupIndex group, KernelSpace space, const RowRead& read) {
  const ValueState& state = grouping.values[read.value];
  if (state.group != group || read.one || read.by_value) return false;
  if (!read.index) return state.space == space;
  return space == KernelSpace::Member && state.space == KernelSpace::Row &&
         is_own_segment(grouping.groups[group], read);
}

std::uint32_t moved_read(std::uint32_t read, Shape from, Shape to) {
  return std::max(from.size(), to.size()) >= kWideRow ? read : kNone;
}

GroupChoice GroupChooser::choose(const GroupRequest& request) const {
  std::vector<GroupChoice> candidates;
  for (const RowRead& read : request.reads) {
    const ValueState& state = grouping_.values[read.value];
    if (!options_.fuse || state.group == kNone || read.index || read.one) continue;
    const KernelGroup& group = grouping_.groups[state.group];
    if (request.within != nullptr && group.has_segments() &&
        !are_same(*group.segments(), *request.within)) {
      continue;
    }
    candidates.push_back({state.group, state.space, group.level});
  }
  // Of the highest level first: it can wait for the others.
  std::ranges::stable_sort(candidates, std::ranges::greater{}, &GroupChoice::level);
  for (GroupChoice& choice : candidates) {
    if (!joins(choice, request)) continue;
    choice.begins_phase =
        choice.space == KernelSpace::Member && begins_phase(choice, request.reads);
    return choice;
  }
  return choose_beside(request);
}

GroupChoice GroupChooser::choose_beside(const GroupRequest& request) const {
  const GroupChoice made = choose_new(request.reads);
  const bool by_entry = request.loop == EntryLoop::Any || request.loop == EntryLoop::Slow;
  if (!options_.fuse || !by_entry) return made;
  if (request.within != nullptr) return choose_beside_members(request).value_or(made);
  for (const RowRead& read : request.reads) {
    const GroupIndex reader = grouping_.values[read.value].reader;
    if (reader == kNone || read.index || read.one || read.shape.size() < kWideRow) continue;
    const KernelGroup& group = grouping_.groups[reader];
    const bool loads = std::ranges::any_of(group.accesses(), [&](const GroupAccess& access) {
      return access.value == read.value && !access.access.store &&
             access.access.map == RowMap::Direct;
    });
    GroupChoice choice{reader, KernelSpace::Row, group.level};
    if (!loads || group.has_segments() || group.level != made.level) continue;
    if (joins(choice, request)) return choice;
  }
  return made;
}

// On a processor: a GPU hides such loads behind others, and has fewer lanes for a longer kernel.
// Not where the kernel has gone on with rows: it would load members again, and a product of its
// rows would not run in blocks.
std::optional<GroupChoice> GroupChooser::choose_beside_members(const GroupRequest& request) const {
  if (!options_.target.has_vectors()) return std::nullopt;
  for (const RowRead& read : request.reads) {
    const GroupIndex reader = grouping_.values[read.value].reader;
    if (reader == kNone || read.one || read.by_tile || read.shape.size() < kWideRow) continue;
    const KernelGroup& group = grouping_.groups[reader];
    const auto loads_it = [&](const GroupAccess& access) {
      if (access.value != read.value || access.access.store ||
          access.access.space != KernelSpace::Member) {
        return false;
      }
      if (access.access.map == RowMap::Direct) return !read.index && access.first_row == 0;
      return access.access.map == RowMap::List && read.index &&
             grouping_.arrays.are_entries(access.list, *read.index);
    };
    GroupChoice choice{reader, KernelSpace::Member, group.level};
    if (!group.has_segments() || group.members() != request.rows ||
        !are_same(*group.segments(), *request.within) ||
        !std::ranges::any_of(group.accesses(), loads_it) || !has_room_for_sum(group, request) ||
        begins_phase(choice, request.reads) || !joins(choice, request)) {
      continue;
    }
    return choice;
  }
  return std::nullopt;
}

GroupChoice GroupChooser::choose_of_members(const GroupRequest& request, const RowRead& members,
                                            const Segments& segments) const {
  const ValueState& state = grouping_.values[members.value];
  if (state.group != kNone && !members.index && !members.one && options_.fuse) {
    const KernelGroup& group = grouping_.groups[state.group];
    GroupChoice choice{state.group, KernelSpace::Member};
    if (group.has_segments() && state.space == KernelSpace::Member &&
        are_same(*group.segments(), segments) && joins(choice, request)) {
      choice.begins_phase = begins_phase(choice, request.reads);
      return choice;
    }
    choice.space = KernelSpace::Row;
    choice.takes_segments = takes_segments(group, request.stage) &&
                            !leaves_threads_idle(group, segments) && joins(choice, request);
    choice.space = KernelSpace::Member;
    if (choice.takes_segments) return choice;
  }
  GroupChoice choice = choose_new(request.reads);
  choice.space = KernelSpace::Member;
  return choice;
}

GroupChoice GroupChooser::choose_new(std::span<const RowRead> reads) const {
  GroupChoice choice;
  for (const RowRead& read : reads) {
    choice.level = std::max(choice.level, grouping_.level_of(read.value) + 1);
  }
  return choice;
}

// Those that a run makes are the same as themselves alone.
bool GroupChooser::are_same(const Segments& a, const Segments& b) const {
  const void* const offsets = a.shared_offsets().get();
  if (offsets != nullptr && offsets == b.shared_offsets().get()) return true;
  return !grouping_.arrays.is_filled(offsets) &&
         !grouping_.arrays.is_filled(b.shared_offsets().get()) && a == b;
}

bool GroupChooser::joins(GroupChoice& choice, const GroupRequest& request) const {
  const KernelGroup& group = grouping_.groups[choice.group];
  const bool by_row = choice.space == KernelSpace::Row;
  if ((by_row ? group.rows() : group.members()) != request.rows) return false;
  if (group.stage() != request.stage || group.closed) return false;
  if (group.size() > kMaxNodes || group.accesses().size() > kMaxAccesses) return false;
  if (options_.target.has_vectors() && !keeps_vectors(group.kernel(), request)) return false;
  if (request.moved != kNone && !options_.target.has_vectors() &&
      has_node(grouping_, choice.group, choice.space, request.reads[request.moved])) {
    return false;
  }
  // Two in one kernel are hardly faster, or slower: docs/plan.md has the times. And where members
  // are gone through, rows are no blocks.
  if (request.loop == EntryLoop::SharedMatrix &&
      (runs_in_blocks(group) || (!by_row && would_run_in_blocks(request, options_.target)))) {
    return false;
  }
  std::uint32_t level = 0;
  for (const RowRead& read : request.reads) {
    if (has_node(grouping_, choice.group, choice.space, read)) continue;
    // Rows of this very group, in another order: they must be there before.
    if (grouping_.values[read.value].group == choice.group) return false;
    level = std::max(level, grouping_.level_of(read.value));
  }
  if (level >= group.level && group.frozen) return false;
  choice.level = std::max(group.level, level + 1);
  return true;
}

// What members made in an earlier phase is loaded again: that phase must be new.
bool GroupChooser::begins_phase(const GroupChoice& choice, std::span<const RowRead> reads) const {
  const KernelGroup& group = grouping_.groups[choice.group];
  const auto& phases = group.kernel().phases;
  if (phases.empty() || phases.back().space != KernelSpace::Member || phases.back().reversed) {
    return true;
  }
  return std::ranges::any_of(reads, [&](const RowRead& read) {
    const ValueState& state = grouping_.values[read.value];
    return has_node(grouping_, choice.group, choice.space, read) &&
           state.space == KernelSpace::Row && !group.is_visible(state.node, choice.space);
  });
}

bool GroupChooser::takes_segments(const KernelGroup& group, std::uint32_t stage) const {
  return !group.has_segments() && group.stage() == stage && group.size() <= kMaxNodes &&
         group.types == kNone && !runs_in_blocks(group) &&
         !(options_.target.has_vectors() && has_slow_row(group.kernel()));
}

// Whether a GPU had fewer blocks of threads for the products of the group's rows than it can run at
// once, if these became members of such segments: each is one block's.
bool GroupChooser::leaves_threads_idle(const KernelGroup& group, const Segments& segments) const {
  constexpr std::uint32_t kFewBlocks = 2;  // of a multiprocessor
  const Target& target = options_.target;
  if (target.has_vectors() || segments.is_fixed() ||
      segments.offsets().size() > kFewBlocks * target.multiprocessors) {
    return false;
  }
  const Kernel& kernel = group.kernel();
  return std::ranges::any_of(kernel.nodes, [&](const KernelNode& node) {
    if (node.kind != KernelNode::Kind::Times) return false;
    const Shape matrix = kernel.nodes[node.operands[0]].shape;
    return matrix.is_matrix() && matrix.size() >= kBlockedProduct &&
           !kernel.nodes[node.operands[1]].shape.is_scalar();
  });
}

// Whether the group has a product that runs in blocks of rows.
bool GroupChooser::runs_in_blocks(const KernelGroup& group) const {
  const Kernel& kernel = group.kernel();
  return std::ranges::any_of(kernel.nodes, [&](const KernelNode& node) {
    if (node.kind != KernelNode::Kind::Times ||
        node.shape.size() < least_blocked_entries(options_.target)) {
      return false;
    }
    const KernelNode& left = kernel.nodes[node.operands[0]];
    return left.kind == KernelNode::Kind::Load && left.shape.is_matrix() &&
           left.shape.size() >= kBlockedProduct &&
           (kernel.accesses[left.access].map == RowMap::One ||
            kernel.accesses[left.access].map == RowMap::Tile);
  });
}

}  // namespace vecc
