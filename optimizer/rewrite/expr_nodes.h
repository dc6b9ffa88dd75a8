// Nodes of a map's tree, which stand in postfix order.
#pragma once

#include <cstdint>

#include "vecc/function.h"

namespace vecc::opt {

[[nodiscard]] inline ExprNode input_node(std::uint32_t input) {
  ExprNode node;
  node.input = input;
  return node;
}

[[nodiscard]] inline ExprNode constant_node(double constant) {
  ExprNode node;
  node.kind = ExprNode::Kind::Constant;
  node.constant = constant;
  return node;
}

/// Of the `arity` trees before it.
[[nodiscard]] inline ExprNode combine_node(Combination combination, std::uint32_t arity) {
  ExprNode node;
  node.kind = ExprNode::Kind::Combine;
  node.combination = combination;
  node.arity = arity;
  return node;
}

}  // namespace vecc::opt
