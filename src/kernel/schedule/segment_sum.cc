#include "src/kernel/schedule/segment_sum.h"

#include <utility>

#include "src/kernel/schedule/entrywise.h"
#include "src/kernel/schedule/outer_products.h"

namespace vecc {

std::optional<SegmentSum> segment_sum(const Kernel& kernel, const KernelPhase& phase) {
  const auto& steps = phase.steps;
  const auto size = [&](std::uint32_t node) { return kernel.nodes[node].shape.size(); };
  const bool scales = steps.size() == 4;
  if ((steps.size() != 2 && !scales) || !only_reduces(kernel, phase)) return std::nullopt;
  const KernelNode& sum = kernel.nodes[steps.back().number];
  const std::uint32_t member = steps[steps.size() - 2].number;
  if (sum.kind != KernelNode::Kind::Reduce || sum.operands.empty() || sum.operands[0] != member ||
      (sum.combination != Combination::Sum && sum.combination != Combination::Avg) ||
      sum.shape.size() < kLeastColumn || !is_load(kernel, steps[0])) {
    return std::nullopt;
  }
  if (!scales) return SegmentSum{member, kNoOperand, steps.back().number};
  const KernelNode& product = kernel.nodes[member];
  const bool multiplies =
      (product.kind == KernelNode::Kind::Times && is_entrywise(kernel, product)) ||
      (product.kind == KernelNode::Kind::Combine && product.combination == Combination::ElProduct);
  if (!multiplies || product.operands.size() != 2 || !is_load(kernel, steps[1])) {
    return std::nullopt;
  }
  std::uint32_t factor = product.operands[0];
  std::uint32_t row = product.operands[1];
  if (size(factor) != 1) std::swap(factor, row);
  if (size(factor) != 1 || size(row) != sum.shape.size()) return std::nullopt;
  for (const std::uint32_t operand : {factor, row}) {
    if (operand != steps[0].number && operand != steps[1].number) return std::nullopt;
  }
  return SegmentSum{row, factor, steps.back().number};
}

}  // namespace vecc
