#include "src/plan/lower/expr_nodes.h"

#include <array>

#include "src/function/parameter_text.h"

namespace vecc {
namespace {

NodeIndex add_transposed(KernelGroup& group, KernelSpace space, NodeIndex a) {
  KernelNode node = node_of(KernelNode::Kind::Transform, group.shape_of(a).transposed());
  node.transformation.id = Transformation::Transp;
  node.operands = {a};
  return group.add(std::move(node), space);
}

}  // namespace

NodeIndex add_times(KernelGroup& group, KernelSpace space, NodeIndex left, NodeIndex right,
                    bool transpose_left, bool transpose_right) {
  // A number scales entry by entry: the other side stands as it comes out.
  if (transpose_left && group.shape_of(right).is_scalar()) {
    left = add_transposed(group, space, left);
    transpose_left = false;
  }
  if (transpose_right && group.shape_of(left).is_scalar()) {
    right = add_transposed(group, space, right);
    transpose_right = false;
  }
  const Shape l = group.shape_of(left);
  const Shape r = group.shape_of(right);
  const auto shape =
      times_shape(transpose_left ? l.transposed() : l, transpose_right ? r.transposed() : r);
  VECC_CHECK(shape.has_value(), "times of shapes that do not fit");
  KernelNode node = node_of(KernelNode::Kind::Times, *shape);
  node.operands = {left, right};
  node.transpose_left = transpose_left;
  node.transpose_right = transpose_right;
  return group.add(std::move(node), space);
}

NodeIndex add_entry_product(KernelGroup& group, KernelSpace space, NodeIndex a, NodeIndex b) {
  const Shape shape = group.shape_of(a).is_scalar() ? group.shape_of(b) : group.shape_of(a);
  KernelNode node = node_of(KernelNode::Kind::Combine, shape);
  node.combination = Combination::ElProduct;
  node.operands = {a, b};
  return group.add(std::move(node), space);
}

NodeIndex add_row_sum(KernelGroup& group, KernelSpace space, NodeIndex a) {
  if (group.shape_of(a).is_scalar()) return a;
  KernelNode node = node_of(KernelNode::Kind::RowSum, Shape::scalar());
  node.operands = {a};
  return group.add(std::move(node), space);
}

NodeIndex add_reshape(KernelGroup& group, KernelSpace space, NodeIndex a, Shape shape) {
  if (group.shape_of(a) == shape) return a;
  KernelNode node = node_of(KernelNode::Kind::Transform, shape);
  node.transformation.id = Transformation::Reshape;
  node.transformation.target = shape;
  node.operands = {a};
  return group.add(std::move(node), space);
}

NodeIndex add_guard(KernelGroup& group, KernelSpace space, NodeIndex zeros, NodeIndex value) {
  KernelNode node = node_of(KernelNode::Kind::Guard, group.shape_of(value));
  node.operands = {zeros, value};
  return group.add(std::move(node), space);
}

NodeIndex add_times_gradient(KernelGroup& group, KernelSpace space, NodeIndex g, NodeIndex other,
                             Shape shape, bool by_left) {
  const Shape by = group.shape_of(other);
  if (shape.is_scalar()) {  // it scaled the other one
    return add_row_sum(group, space, add_entry_product(group, space, g, other));
  }
  if (by.is_scalar()) {
    return add_reshape(group, space, add_entry_product(group, space, g, other), shape);
  }
  // g x^T, or w^T g; a scalar g is the 1x1 result of a row and a column.
  const NodeIndex result = by_left ? add_times(group, space, g, other, false, true)
                                   : add_times(group, space, other, g, true, false);
  return add_reshape(group, space, result, shape);
}

ExprNodes::ExprNodes(KernelGroup& group, KernelSpace space, const Expr& expr,
                     std::span<const NodeIndex> operands)
    : group_(group), space_(space), expr_(expr) {
  std::vector<std::size_t> stack;  // nodes that no other one has taken yet
  for (const ExprNode& node : expr.nodes) {
    const auto arity = static_cast<std::ptrdiff_t>(operand_count(node));
    operands_.emplace_back(stack.end() - arity, stack.end());
    stack.resize(stack.size() - static_cast<std::size_t>(arity));
    stack.push_back(values_.size());
    if (node.kind == ExprNode::Kind::Input) {
      values_.push_back(operands[node.input]);
      continue;
    }
    std::vector<NodeIndex> own;
    for (const std::size_t n : operands_.back()) own.push_back(values_[n]);
    values_.push_back(add_node(node, own));
  }
}

NodeIndex ExprNodes::add_node(const ExprNode& node, std::span<const NodeIndex> own) {
  if (node.kind == ExprNode::Kind::Constant) return group_.constant(node.constant, space_);
  KernelNode made;
  made.operands.assign(own.begin(), own.end());
  if (node.kind == ExprNode::Kind::Transform) {
    made.kind = KernelNode::Kind::Transform;
    made.transformation = node.transformation;
    made.words = node.words;
    const auto words = std::span(node.words).first(word_count(node.transformation.id));
    made.shape =
        *transformed_shape(node.transformation, words, group_.shape_of(own[0]), "expression");
  } else if (node.combination == Combination::Product) {
    NodeIndex product = own[0];
    for (const NodeIndex next : own.subspan(1)) {
      product = add_times(group_, space_, product, next, false, false);
    }
    return product;
  } else {
    made.kind = KernelNode::Kind::Combine;
    made.combination = node.combination;
    std::vector<Shape> shapes;
    for (const NodeIndex n : own) shapes.push_back(group_.shape_of(n));
    made.shape = *combined_shape(node.combination, node.axis, nullptr, shapes, "expression");
  }
  return group_.add(std::move(made), space_);
}

std::optional<NodeIndex> ExprNodes::differentiate(std::uint32_t wrt, NodeIndex g) {
  wanted_.clear();
  for (std::size_t n = 0; n < expr_.nodes.size(); ++n) {
    bool wanted = expr_.nodes[n].kind == ExprNode::Kind::Input && expr_.nodes[n].input == wrt;
    for (const std::size_t operand : operands_[n]) wanted = wanted || wanted_[operand];
    wanted_.push_back(wanted);
  }
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
    KernelNode both = node_of(KernelNode::Kind::Combine, group_.shape_of(*sum));
    both.operands = {*sum, *gradients_[n]};
    sum = group_.add(std::move(both), space_);
  }
  return sum;
}

void ExprNodes::add_gradient(std::size_t n, std::optional<NodeIndex> g) {
  // In a tree each node has one reader.
  gradients_[n] = g;
}

void ExprNodes::pass_on(std::size_t n, NodeIndex g) {
  const ExprNode& node = expr_.nodes[n];
  const auto& own = operands_[n];
  if (node.kind == ExprNode::Kind::Transform) {
    KernelNode vjp = node_of(KernelNode::Kind::TransformVjp, group_.shape_of(values_[own[0]]));
    vjp.transformation = node.transformation;
    vjp.words = node.words;
    vjp.reads_x = true;
    vjp.reads_y = true;
    vjp.operands = {values_[own[0]], values_[n], g};
    add_gradient(own[0], group_.add(std::move(vjp), space_));
    return;
  }
  if (node.combination == Combination::Count) return;
  if (node.combination == Combination::Product) return pass_on_product(n, g);
  for (std::size_t k = 0; k < own.size(); ++k) {
    if (!wanted_[own[k]]) continue;
    KernelNode vjp = node_of(KernelNode::Kind::CombineVjp, group_.shape_of(values_[own[k]]));
    vjp.combination = node.combination;
    vjp.wrt = static_cast<std::uint32_t>(k);
    vjp.reads_x = true;
    vjp.reads_y = true;
    for (const std::size_t operand : own) vjp.operands.push_back(values_[operand]);
    vjp.operands.push_back(values_[n]);
    vjp.operands.push_back(g);
    add_gradient(own[k], group_.add(std::move(vjp), space_));
  }
}

// Backwards through p_0 = e_0, p_k = p_{k-1} times e_k.
void ExprNodes::pass_on_product(std::size_t n, NodeIndex g) {
  const auto& own = operands_[n];
  std::vector<NodeIndex> products{values_[own[0]]};
  for (std::size_t k = 1; k + 1 < own.size(); ++k) {
    products.push_back(add_times(group_, space_, products.back(), values_[own[k]], false, false));
  }
  for (std::size_t k = own.size(); k-- > 1;) {
    const NodeIndex before = products[k - 1];
    const NodeIndex element = values_[own[k]];
    if (wanted_[own[k]]) {
      add_gradient(own[k],
                   add_times_gradient(group_, space_, g, before, group_.shape_of(element), false));
    }
    g = add_times_gradient(group_, space_, g, element, group_.shape_of(before), true);
  }
  if (wanted_[own[0]]) add_gradient(own[0], g);
}

}  // namespace vecc
