#include <algorithm>
#include <vector>

#include "src/function/draw.h"
#include "src/function/expr_tensor.h"

namespace vecc {

Tensor constant_tensor(const ExprNode& node) {
  Tensor y{Shape::scalar()};
  y.values[0] = node.constant;
  return y;
}

Tensor transform_tensor(const ExprNode& node, Element x) {
  const auto words = std::span(node.words).first(word_count(node.transformation.id));
  const auto shape = transformed_shape(node.transformation, words, x.shape, "expression");
  VECC_CHECK(shape.has_value(), shape ? "" : shape.error().text());
  Tensor y(*shape);
  evaluate(node.transformation, words, x.shape, x.values, y.values);
  return y;
}

Tensor combine_tensors(const ExprNode& node, std::span<const Element> operands) {
  std::vector<Shape> shapes;
  for (const Element& operand : operands) shapes.push_back(operand.shape);
  const auto shape = combined_shape(node.combination, node.axis, nullptr, shapes, "expression");
  VECC_CHECK(shape.has_value(), shape ? "" : shape.error().text());
  Tensor y(*shape);
  evaluate(node.combination, nullptr, operands, y.values);
  return y;
}

Tensor drawn_tensor(std::span<const Element> words) {
  std::vector<Shape> shapes;
  for (const Element& word : words) shapes.push_back(word.shape);
  const auto shape = drawn_shape(shapes, "expression");
  VECC_CHECK(shape.has_value(), shape ? "" : shape.error().text());
  Tensor y(*shape);
  draw_entries(words, y.values);
  return y;
}

void evaluate(const Expr& expr, std::span<const Element> operands, std::span<double> y) {
  std::vector<Tensor> stack;
  for (const ExprNode& node : expr.nodes) {
    switch (node.kind) {
      case ExprNode::Kind::Input: stack.emplace_back(operands[node.input]); break;
      case ExprNode::Kind::Constant: stack.push_back(constant_tensor(node)); break;
      case ExprNode::Kind::Transform:
        stack.back() = transform_tensor(node, stack.back().element());
        break;
      case ExprNode::Kind::Combine:
      case ExprNode::Kind::Draw: {
        std::vector<Element> elements;
        for (const Tensor& operand : std::span<const Tensor>(stack).last(node.arity)) {
          elements.push_back(operand.element());
        }
        Tensor result = node.kind == ExprNode::Kind::Draw ? drawn_tensor(elements)
                                                          : combine_tensors(node, elements);
        stack.erase(stack.end() - node.arity, stack.end());
        stack.push_back(std::move(result));
        break;
      }
    }
  }
  VECC_CHECK(stack.size() == 1 && stack[0].values.size() == y.size(), "expression's result");
  std::ranges::copy(stack[0].values, y.begin());
}

}  // namespace vecc
