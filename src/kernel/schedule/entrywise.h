// What kernels' nodes are to those that schedule and print them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "vecc/kernel.h"

namespace vecc {

/// Whether entry i of a node is a formula of entries i of its operands (or of scalars), or an entry
/// of what is loaded.
[[nodiscard]] bool is_entrywise(const Kernel& kernel, const KernelNode& node);

/// A flat kernel's entries as rows of their own.
[[nodiscard]] Kernel as_scalars(Kernel kernel);

/// The widest row that is computed: what is only read by rows or columns (a matrix) counts not.
[[nodiscard]] std::uint64_t widest_row(const Kernel& kernel);

/// op(left) op(right) of a Times is m x k times k x n.
struct ProductShape {
  std::uint32_t m = 0;
  std::uint32_t k = 0;
  std::uint32_t n = 0;
};
[[nodiscard]] ProductShape product_shape(const Kernel& kernel, const KernelNode& node);

/// Whether the step loads a row.
[[nodiscard]] inline bool is_load(const Kernel& kernel, const KernelStep& step) {
  return !step.store && kernel.nodes[step.number].kind == KernelNode::Kind::Load;
}
/// Whether a store has a part of its access' row.
[[nodiscard]] inline bool stores_part(const Kernel& kernel, const KernelStore& store) {
  return store.first > 0 ||
         kernel.nodes[store.value].shape.size() != kernel.accesses[store.access].shape.size();
}
/// What a thread has of it before it moves all of that at once.
[[nodiscard]] std::string stored_entries_name(const Kernel& kernel, const KernelStore& store);
/// Whether a phase goes through the members, first to last and side by side, and stores none.
[[nodiscard]] inline bool only_reduces(const Kernel& kernel, const KernelPhase& phase) {
  return phase.space == KernelSpace::Member && !phase.reversed &&
         kernel.segments != KernelSegments::Strided &&
         std::ranges::none_of(phase.steps, &KernelStep::store);
}
[[nodiscard]] inline bool is_reshape(const KernelNode& node) {
  return node.kind == KernelNode::Kind::Transform &&
         node.transformation.id == Transformation::Reshape;
}
/// Of what is loaded a slice, the gradient of one, or a matrix's transpose, each entry of which has
/// the same place in every row: the load, where it is read. Else null: also of a transpose where
/// its entries may be stored over what others are read from.
[[nodiscard]] const KernelNode* moved_load(const Kernel& kernel, const KernelNode& node);
/// Whether a store may change what is loaded.
[[nodiscard]] inline bool stores_alias_loads(const Kernel& kernel) {
  return kernel.reloads || kernel.in_place;
}
/// A reduction that selects among members: the whole one by its sum of entries, or one an entry.
[[nodiscard]] inline bool is_selection(const KernelNode& node) {
  const bool reduces =
      node.kind == KernelNode::Kind::Reduce || node.kind == KernelNode::Kind::ReduceArg;
  return reduces && selects(node.combination);
}
/// Of these, one that selects in each entry.
[[nodiscard]] inline bool is_entry_selection(const KernelNode& node) {
  return is_selection(node) && selects_entries(node.combination);
}

}  // namespace vecc
