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

// What is 0 where any of its factors is.
bool is_product(const KernelNode& node) {
  if (node.kind == Kind::Times || node.kind == Kind::Guard) return true;
  if (node.kind == Kind::CombineVjp) return node.combination == Combination::ElProduct;
  return node.kind == Kind::Combine &&
         (node.combination == Combination::ElProduct || node.combination == Combination::Product);
}

// What is 0 where its direction, the last operand, is, and only there.
bool is_gradient(const KernelNode& node) {
  return !is_product(node) && (node.kind == Kind::TransformVjp || node.kind == Kind::CombineVjp);
}

// Calls visit(operand) for what a product multiplies.
template <class Visit>
void for_each_factor(const KernelNode& node, Visit&& visit) {
  const std::size_t size = node.operands.size();
  for (std::size_t k = 0; k < size; ++k) {
    const bool is_own = node.kind != Kind::CombineVjp || k + 1 == size;  // of a gradient, its own
    if (is_own || (k + 2 < size && k != node.wrt)) visit(node.operands[k]);
  }
}

bool is_zero(const Kernel& kernel, const KernelNode& node, const std::vector<bool>& zeros,
             const std::vector<bool>& found) {
  const auto is = [&](std::uint32_t operand) { return found[operand]; };
  if (is_product(node)) {
    bool has_zero = false;
    for_each_factor(node, [&](std::uint32_t factor) { has_zero = has_zero || is(factor); });
    return has_zero;
  }
  switch (node.kind) {
    case Kind::Load: return zeros[node.access] && !kernel.accesses[node.access].store;
    case Kind::Constant: return node.constant == 0;
    case Kind::Transform: return moves_entries(node.transformation.id) && is(node.operands[0]);
    case Kind::TransformVjp:
    case Kind::CombineVjp: return is(node.operands.back());
    case Kind::Combine:
      return node.combination == Combination::Sum && std::ranges::all_of(node.operands, is);
    case Kind::RowSum: return is(node.operands[0]);
    case Kind::Selected: return is(node.operands[1]);
    case Kind::Reduce:
      return (node.combination == Combination::Sum || node.combination == Combination::Avg) &&
             !node.operands.empty() && is(node.operands[0]);
    case Kind::Times:
    case Kind::Guard:
    case Kind::Draw:
    case Kind::ReduceArg:
    case Kind::Scan:
    case Kind::Threshold: return false;
  }
  return false;
}

// By node that is 0 where all of `zeros` are: whether that hangs on a load of one row for all, so
// that where that is not 0 the node is not in any row.
std::vector<bool> nodes_of_one_row(const Kernel& kernel, const std::vector<bool>& zeros,
                                   const std::vector<bool>& zero_nodes) {
  std::vector<bool> found;
  for (const KernelNode& node : kernel.nodes) {
    const auto is = [&](std::uint32_t operand) { return zero_nodes[operand] && found[operand]; };
    bool is_of_one = std::ranges::any_of(node.operands, is);
    if (node.kind == Kind::Load) {
      is_of_one = zeros[node.access] && kernel.accesses[node.access].map == RowMap::One;
    } else if (is_gradient(node)) {
      is_of_one = is(node.operands.back());
    } else if (is_product(node)) {
      for_each_factor(node, [&](std::uint32_t factor) {
        is_of_one = is_of_one && (!zero_nodes[factor] || found[factor]);
      });
    }
    found.push_back(is_of_one);
  }
  return found;
}

// Which of a product's factors tell the rows in which it is not 0: one that loads what is given,
// else those that are 0 by rows of their own, else all that are 0.
std::vector<std::uint32_t> telling_factors(const Kernel& kernel,
                                           const std::vector<bool>& zero_nodes,
                                           const std::vector<bool>& of_one_row,
                                           const std::vector<bool>& given, const KernelNode& of) {
  std::vector<std::uint32_t> all;
  std::vector<std::uint32_t> by_rows;
  std::optional<std::uint32_t> one;
  for_each_factor(of, [&](std::uint32_t factor) {
    if (!zero_nodes[factor]) return;
    const KernelNode& node = kernel.nodes[factor];
    if (node.kind == Kind::Load && given[node.access]) one = factor;
    all.push_back(factor);
    if (!of_one_row[factor]) by_rows.push_back(factor);
  });
  if (one) return {*one};
  return by_rows.empty() ? all : by_rows;
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
                                        const std::vector<bool>* given, std::uint32_t node) {
  const std::vector<bool> of_one_row =
      given ? nodes_of_one_row(kernel, zeros, zero_nodes) : std::vector<bool>();
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
    if (given != nullptr && zero_nodes[number] && is_product(of)) {
      for (const std::uint32_t factor :
           telling_factors(kernel, zero_nodes, of_one_row, *given, of)) {
        open.push_back(factor);
      }
      continue;
    }
    if (given != nullptr && zero_nodes[number] && is_gradient(of)) {
      open.push_back(of.operands.back());
      continue;
    }
    const bool by_direction = is_product(of) || is_gradient(of);
    for (const std::uint32_t operand : of.operands) {
      if (!zero_nodes[number] || !by_direction || zero_nodes[operand]) open.push_back(operand);
    }
  }
  std::ranges::sort(sources);
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  return sources;
}

}  // namespace vecc
