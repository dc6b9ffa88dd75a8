#include "src/plan/lower/expr_nodes.h"

#include <algorithm>

#include "src/plan/analysis/gradient_reads.h"

namespace vecc {

ExprNodes::ExprNodes(const KernelBuilder& kernel, const Expr& expr,
                     std::span<const NodeIndex> operands, std::span<const Shape> shapes)
    : kernel_(kernel), expr_(expr), operands_(expr_operands(expr)) {
  std::vector<Shape> of_operands(shapes.begin(), shapes.end());
  of_operands.resize(operands.size());
  for (const ExprNode& node : expr.nodes) {
    if (node.kind != ExprNode::Kind::Input || operands[node.input] == kNone) continue;
    of_operands[node.input] = kernel.shape_of(operands[node.input]);
  }
  shapes_ = expr_shapes(expr, of_operands);
  for (std::size_t n = 0; n < expr.nodes.size(); ++n) {
    const ExprNode& node = expr.nodes[n];
    if (node.kind == ExprNode::Kind::Input) {
      values_.push_back(operands[node.input]);
      continue;
    }
    std::vector<NodeIndex> own;
    for (const std::size_t k : operands_[n]) own.push_back(values_[k]);
    const bool lacks_any = std::ranges::find(own, kNone) != own.end();
    values_.push_back(lacks_any ? kNone : add_node(n, own));
  }
}

NodeIndex ExprNodes::add_node(std::size_t n, std::span<const NodeIndex> own) {
  const ExprNode& node = expr_.nodes[n];
  if (node.kind == ExprNode::Kind::Constant) return kernel_.constant(node.constant);
  KernelNode made;
  made.shape = shapes_[n];
  made.operands.assign(own.begin(), own.end());
  if (node.kind == ExprNode::Kind::Transform) {
    made.kind = KernelNode::Kind::Transform;
    made.transformation = node.transformation;
    made.words = node.words;
  } else if (node.kind == ExprNode::Kind::Draw) {
    made.kind = KernelNode::Kind::Draw;
  } else if (node.combination == Combination::Product) {
    NodeIndex product = own[0];
    for (const NodeIndex next : own.subspan(1)) {
      product = kernel_.times(product, next);
    }
    return product;
  } else {
    made.kind = KernelNode::Kind::Combine;
    made.combination = node.combination;
  }
  return kernel_.add(std::move(made));
}

std::optional<NodeIndex> ExprNodes::differentiate(std::uint32_t wrt, NodeIndex g) {
  wanted_ = nodes_with_input(expr_, wrt);
  gradients_.assign(expr_.nodes.size(), std::nullopt);
  gradients_.back() = g;
  std::optional<NodeIndex> sum;
  for (std::size_t n = expr_.nodes.size(); n-- > 0;) {
    if (!wanted_[n] || !gradients_[n]) continue;
    if (expr_.nodes[n].kind != ExprNode::Kind::Input) {
      pass_on(n, *gradients_[n]);
      continue;
    }
    if (!sum) {
      sum = gradients_[n];
      continue;
    }
    sum = kernel_.sum(*sum, *gradients_[n]);
  }
  return sum;
}

void ExprNodes::pass_on(std::size_t n, NodeIndex g) {
  const ExprNode& node = expr_.nodes[n];
  const auto& own = operands_[n];
  if (node.kind == ExprNode::Kind::Draw) return;
  if (node.kind == ExprNode::Kind::Transform) {
    KernelNode vjp = node_of(KernelNode::Kind::TransformVjp, kernel_.shape_of(values_[own[0]]));
    vjp.transformation = node.transformation;
    vjp.words = node.words;
    vjp.reads_x = true;
    vjp.reads_y = true;
    vjp.operands = {values_[own[0]], values_[n], g};
    gradients_[own[0]] = kernel_.add(std::move(vjp));
    return;
  }
  if (node.combination == Combination::Count) return;
  if (node.combination == Combination::Product) return pass_on_product(n, g);
  for (std::size_t k = 0; k < own.size(); ++k) {
    if (!wanted_[own[k]]) continue;
    if (node.combination == Combination::Concat) {
      gradients_[own[k]] = part_of(n, k, g);
      continue;
    }
    if (passes_through(expr_, shapes_, n, own[k], kernel_.shape_of(g))) {
      gradients_[own[k]] = pass_through(n, k, g);
      continue;
    }
    KernelNode vjp = node_of(KernelNode::Kind::CombineVjp, shapes_[own[k]]);
    vjp.combination = node.combination;
    vjp.wrt = static_cast<std::uint32_t>(k);
    vjp.reads_x = true;
    vjp.reads_y = true;
    for (const std::size_t operand : own) vjp.operands.push_back(values_[operand]);
    vjp.operands.push_back(values_[n]);
    vjp.operands.push_back(g);
    gradients_[own[k]] = kernel_.add(std::move(vjp));
  }
}

// Of a sum the gradient itself, of a product of two factors that times the other one.
NodeIndex ExprNodes::pass_through(std::size_t n, std::size_t k, NodeIndex g) const {
  if (expr_.nodes[n].combination == Combination::Sum) return g;
  return kernel_.entry_product(g, values_[operands_[n][1 - k]]);
}

// The k-th part of a concat's gradient.
NodeIndex ExprNodes::part_of(std::size_t n, std::size_t k, NodeIndex g) const {
  const auto& own = operands_[n];
  std::uint32_t begin = 0;
  for (std::size_t i = 0; i < k; ++i) {
    begin += static_cast<std::uint32_t>(shapes_[own[i]].size());
  }
  const Shape shape = shapes_[own[k]];
  const auto size = static_cast<std::uint32_t>(shape.size());
  const NodeIndex column =
      kernel_.reshape(g, Shape::column(static_cast<std::uint32_t>(kernel_.shape_of(g).size())));
  KernelNode part = node_of(KernelNode::Kind::Transform, Shape::column(size), {column});
  part.transformation.id = Transformation::Slice;
  part.words = {begin, begin + size, 0, 1};
  return kernel_.reshape(kernel_.add(std::move(part)), shape);
}

// Backwards through p_0 = e_0, p_k = p_{k-1} times e_k.
void ExprNodes::pass_on_product(std::size_t n, NodeIndex g) {
  const auto& own = operands_[n];
  std::vector<NodeIndex> products{values_[own[0]]};
  for (std::size_t k = 1; k + 1 < own.size(); ++k) {
    products.push_back(kernel_.times(products.back(), values_[own[k]]));
  }
  for (std::size_t k = own.size(); k-- > 1;) {
    const NodeIndex before = products[k - 1];
    const NodeIndex element = values_[own[k]];
    if (wanted_[own[k]]) {
      gradients_[own[k]] = kernel_.times_gradient(g, before, kernel_.shape_of(element), false);
    }
    g = kernel_.times_gradient(g, element, kernel_.shape_of(before), true);
  }
  if (wanted_[own[0]]) gradients_[own[0]] = g;
}

}  // namespace vecc
