#include <algorithm>
#include <vector>

#include "src/function/evaluate.h"

namespace vecc {
namespace {

struct Tensor {
  Shape shape;
  std::vector<double> values;

  explicit Tensor(Shape s) : shape(s), values(s.size()) {}
  [[nodiscard]] Element element() const { return {shape, values}; }
};

Tensor transformed(const ExprNode& node, const Tensor& x) {
  const auto words = std::span(node.words).first(word_count(node.transformation.id));
  const auto shape = transformed_shape(node.transformation, words, x.shape, "expression");
  VECC_CHECK(shape.has_value(), shape ? "" : shape.error().text());
  Tensor y(*shape);
  evaluate(node.transformation, words, x.shape, x.values, y.values);
  return y;
}

Tensor combined(const ExprNode& node, std::span<const Tensor> operands) {
  std::vector<Element> elements;
  std::vector<Shape> shapes;
  for (const Tensor& operand : operands) {
    elements.push_back(operand.element());
    shapes.push_back(operand.shape);
  }
  const auto shape = combined_shape(node.combination, node.axis, nullptr, shapes, "expression");
  VECC_CHECK(shape.has_value(), shape ? "" : shape.error().text());
  Tensor y(*shape);
  evaluate(node.combination, nullptr, elements, y.values);
  return y;
}

}  // namespace

void evaluate(const Expr& expr, std::span<const Element> operands, std::span<double> y) {
  std::vector<Tensor> stack;
  for (const ExprNode& node : expr.nodes) {
    switch (node.kind) {
      case ExprNode::Kind::Input: {
        const Element& operand = operands[node.input];
        stack.emplace_back(operand.shape);
        std::ranges::copy(operand.values, stack.back().values.begin());
        break;
      }
      case ExprNode::Kind::Constant:
        stack.emplace_back(Shape::scalar());
        stack.back().values[0] = node.constant;
        break;
      case ExprNode::Kind::Transform: stack.back() = transformed(node, stack.back()); break;
      case ExprNode::Kind::Combine: {
        Tensor result = combined(node, std::span<const Tensor>(stack).last(node.arity));
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
