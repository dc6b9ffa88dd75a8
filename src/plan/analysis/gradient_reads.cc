#include "src/plan/analysis/gradient_reads.h"

#include <algorithm>

#include "src/function/parameter_text.h"

namespace vecc {
namespace {

Shape shape_of(const ExprNode& node, std::span<const Shape> own) {
  switch (node.kind) {
    case ExprNode::Kind::Input:
    case ExprNode::Kind::Constant: break;
    case ExprNode::Kind::Transform:
      return *transformed_shape(node.transformation,
                                std::span(node.words).first(word_count(node.transformation.id)),
                                own[0], "expression");
    case ExprNode::Kind::Draw: return *drawn_shape(own, "expression");
    case ExprNode::Kind::Combine: {
      if (node.combination != Combination::Product) {
        return *combined_shape(node.combination, node.axis, nullptr, own, "expression");
      }
      Shape product = own[0];
      for (const Shape next : own.subspan(1)) product = *times_shape(product, next);
      return product;
    }
  }
  return Shape::scalar();
}

// The inputs in a node of an expression.
void mark_inputs(const Expr& expr, std::span<const std::vector<std::size_t>> operands,
                 std::size_t n, std::vector<bool>& inputs) {
  if (expr.nodes[n].kind == ExprNode::Kind::Input) inputs[expr.nodes[n].input] = true;
  for (const std::size_t operand : operands[n]) mark_inputs(expr, operands, operand, inputs);
}

const MapOp* differentiated_map(const Op& op) {
  const auto* vjp = std::get_if<VjpOp>(&op.attributes);
  return vjp == nullptr ? nullptr : std::get_if<MapOp>(&vjp->of);
}

}  // namespace

std::vector<std::vector<std::size_t>> expr_operands(const Expr& expr) {
  std::vector<std::vector<std::size_t>> operands;
  std::vector<std::size_t> stack;  // nodes that no other one has taken yet
  for (const ExprNode& node : expr.nodes) {
    const auto arity = static_cast<std::ptrdiff_t>(operand_count(node));
    operands.emplace_back(stack.end() - arity, stack.end());
    stack.resize(stack.size() - static_cast<std::size_t>(arity));
    stack.push_back(operands.size() - 1);
  }
  return operands;
}

std::vector<Shape> expr_shapes(const Expr& expr, std::span<const Shape> operands) {
  const auto nodes = expr_operands(expr);
  std::vector<Shape> shapes;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const ExprNode& node = expr.nodes[n];
    std::vector<Shape> own;
    for (const std::size_t operand : nodes[n]) own.push_back(shapes[operand]);
    shapes.push_back(node.kind == ExprNode::Kind::Input ? operands[node.input]
                                                        : shape_of(node, own));
  }
  return shapes;
}

std::vector<bool> nodes_with_input(const Expr& expr, std::uint32_t input) {
  const auto nodes = expr_operands(expr);
  std::vector<bool> found;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const ExprNode& node = expr.nodes[n];
    found.push_back((node.kind == ExprNode::Kind::Input && node.input == input) ||
                    std::ranges::any_of(nodes[n], [&](std::size_t k) { return found[k]; }));
  }
  return found;
}

bool passes_through(const Expr& expr, std::span<const Shape> shapes, std::size_t n,
                    std::size_t operand, Shape g) {
  const ExprNode& node = expr.nodes[n];
  if (node.kind != ExprNode::Kind::Combine || shapes[operand] != g) return false;
  if (node.combination == Combination::Sum) return true;
  return node.combination == Combination::ElProduct && operand_count(node) == 2;
}

std::vector<bool> gradient_reads(const Program& program, ValueId vjp) {
  const Op& op = program.op(vjp);
  const Expr& expr = *differentiated_map(op)->expr;
  const std::uint32_t wrt = std::get<VjpOp>(op.attributes).wrt;
  std::vector<bool> reads(op.operands.size(), false);
  reads.back() = true;
  std::vector<Shape> operands;
  for (const ValueId operand : op.operands) operands.push_back(program.op(operand).shape);
  const std::vector<Shape> shapes = expr_shapes(expr, operands);
  const auto nodes = expr_operands(expr);
  const std::vector<bool> wanted = nodes_with_input(expr, wrt);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (!wanted[n]) continue;
    // Along the way to the operand gradients keep the shapes of the nodes that they are of.
    const bool is_concat = expr.nodes[n].kind == ExprNode::Kind::Combine &&
                           expr.nodes[n].combination == Combination::Concat;
    for (const std::size_t own : nodes[n]) {
      if (!wanted[own] || is_concat) continue;
      if (!passes_through(expr, shapes, n, own, shapes[n])) {
        mark_inputs(expr, nodes, n, reads);
      } else if (expr.nodes[n].combination == Combination::ElProduct) {
        mark_inputs(expr, nodes, nodes[n][own == nodes[n][0] ? 1 : 0], reads);
      }
    }
  }
  return reads;
}

bool passes_gradient_on(const Program& program, ValueId value) {
  const Op& op = program.op(value);
  const MapOp* map = differentiated_map(op);
  if (map == nullptr || program.op(op.operands.back()).shape != op.shape) return false;
  const Expr& expr = *map->expr;
  const std::uint32_t wrt = std::get<VjpOp>(op.attributes).wrt;
  std::uint32_t times = 0;
  const std::vector<bool> wanted = nodes_with_input(expr, wrt);
  for (std::size_t n = 0; n < wanted.size(); ++n) {
    if (!wanted[n]) continue;
    const ExprNode& node = expr.nodes[n];
    if (node.kind == ExprNode::Kind::Input) {
      ++times;
    } else if (node.kind != ExprNode::Kind::Combine || node.combination != Combination::Sum) {
      return false;
    }
  }
  return times == 1;
}

}  // namespace vecc
