// What kernels' nodes are to those that schedule and print them.
#pragma once

#include <algorithm>
#include <cstdint>

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
/// Of a slice of what is loaded, or of a slice's gradient that is loaded, whose place is the same
/// in each row, the load: each entry is read where it is. Else null.
[[nodiscard]] const KernelNode* sliced_load(const Kernel& kernel, const KernelNode& node);
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
