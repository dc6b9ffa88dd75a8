#include "src/batch/zero_nodes.h"

#include <algorithm>
#include <optional>

namespace vecc {
namespace {

using Kind = KernelNode::Kind;

// Functions that only move entries.
bool moves_entries(Transformation transformation) {
  switch (info(transformation).form) {
    case FunctionForm::Same:
    case FunctionForm::Shape:
    case FunctionForm::Transposed:
    case FunctionForm::Part: return true;
    case FunctionForm::Entries:
    case FunctionForm::Row:
    case FunctionForm::Column:
    case FunctionForm::Entry:
    case FunctionForm::Broadcast: return false;
  }
  return false;
}

bool is_product(const KernelNode& node) {
  if (node.kind == Kind::Times) return true;
  return node.kind == Kind::Combine &&
         (node.combination == Combination::ElProduct || node.combination == Combination::Product);
}

bool is_zero(const Kernel& kernel, const KernelNode& node, const std::vector<bool>& zeros,
             const std::vector<bool>& found) {
  const auto is = [&](std::uint32_t operand) { return found[operand]; };
  if (is_product(node)) return std::ranges::any_of(node.operands, is);
  switch (node.kind) {
    case Kind::Load: return zeros[node.access] && !kernel.accesses[node.access].store;
    case Kind::Constant: return node.constant == 0;
    case Kind::Transform: return moves_entries(node.transformation.id) && is(node.operands[0]);
    case Kind::TransformVjp:
    case Kind::CombineVjp: return is(node.operands.back());
    case Kind::Combine:
      return node.combination == Combination::Sum && std::ranges::all_of(node.operands, is);
    case Kind::RowSum: return is(node.operands[0]);
    case Kind::Guard: return is(node.operands[0]) || is(node.operands[1]);
    case Kind::Selected: return is(node.operands[1]);
    case Kind::Reduce:
      return (node.combination == Combination::Sum || node.combination == Combination::Avg) &&
             !node.operands.empty() && is(node.operands[0]);
    case Kind::Times:
    case Kind::Draw:
    case Kind::ReduceArg:
    case Kind::Scan:
    case Kind::Threshold: return false;
  }
  return false;
}

// An operand that loads what is given.
std::optional<std::uint32_t> find_given(const Kernel& kernel, const std::vector<bool>& zero_nodes,
                                        const std::vector<bool>& given, const KernelNode& of) {
  for (const std::uint32_t operand : of.operands) {
    const KernelNode& node = kernel.nodes[operand];
    if (node.kind == Kind::Load && zero_nodes[operand] && given[node.access]) return operand;
  }
  return {};
}

}  // namespace

std::vector<bool> zero_nodes(const Kernel& kernel, const std::vector<bool>& zeros) {
  std::vector<bool> found;
  for (const KernelNode& node : kernel.nodes) {
    found.push_back(is_zero(kernel, node, zeros, found));
  }
  return found;
}

std::vector<std::uint32_t> zero_sources(const Kernel& kernel, const std::vector<bool>& zeros,
                                        const std::vector<bool>& zero_nodes,
                                        const std::vector<bool>& given, std::uint32_t node) {
  std::vector<std::uint32_t> sources;
  std::vector<bool> seen(kernel.nodes.size(), false);
  std::vector<std::uint32_t> open{node};
  while (!open.empty()) {
    const std::uint32_t number = open.back();
    open.pop_back();
    if (seen[number]) continue;
    seen[number] = true;
    const KernelNode& of = kernel.nodes[number];
    if (of.kind == Kind::Load && zeros[of.access]) sources.push_back(of.access);
    const bool by_any = of.kind == Kind::Guard || is_product(of);
    const bool by_direction =
        by_any || of.kind == Kind::TransformVjp || of.kind == Kind::CombineVjp;
    const auto one = by_any ? find_given(kernel, zero_nodes, given, of) : std::nullopt;
    for (const std::uint32_t operand : of.operands) {
      if (one && operand != *one) continue;
      if (!zero_nodes[number] || !by_direction || zero_nodes[operand]) open.push_back(operand);
    }
  }
  std::ranges::sort(sources);
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  return sources;
}

}  // namespace vecc
