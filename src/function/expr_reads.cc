#include "src/function/expr_reads.h"

#include <algorithm>
#include <vector>

namespace vecc {
namespace {

bool reads(const ExprNode& node) {
  return node.kind == ExprNode::Kind::Input;
}

}  // namespace

std::size_t count_reads(const Expr& expr, std::uint32_t operand) {
  return static_cast<std::size_t>(std::ranges::count_if(
      expr.nodes, [&](const ExprNode& node) { return reads(node) && node.input == operand; }));
}

bool is_plain_sum(const Expr& expr) {
  const ExprNode& root = expr.nodes.back();
  return root.kind == ExprNode::Kind::Combine && root.combination == Combination::Sum &&
         std::all_of(expr.nodes.begin(), expr.nodes.end() - 1, reads);
}

bool is_sum_of_each(const Expr& expr, std::size_t operands) {
  if (!is_plain_sum(expr) || expr.nodes.size() != operands + 1) return false;
  std::vector<bool> is_read(operands);
  for (const ExprNode& node : expr.nodes) {
    if (!reads(node)) continue;
    if (node.input >= operands || is_read[node.input]) return false;
    is_read[node.input] = true;
  }
  return true;
}

}  // namespace vecc
