// Values of an expression's nodes.
#pragma once

#include <span>
#include <vector>

#include "src/function/evaluate.h"

namespace vecc {

struct Tensor {
  Shape shape;
  std::vector<double> values;

  explicit Tensor(Shape s) : shape(s), values(s.size()) {}
  explicit Tensor(const Element& element)
      : shape(element.shape), values(element.values.begin(), element.values.end()) {}
  [[nodiscard]] Element element() const { return {shape, values}; }
};

/// A Constant node's value.
[[nodiscard]] Tensor constant_tensor(const ExprNode& node);
/// A Transform node's value from its operand's.
[[nodiscard]] Tensor transform_tensor(const ExprNode& node, Element x);
/// A Combine node's value from its operands'.
[[nodiscard]] Tensor combine_tensors(const ExprNode& node, std::span<const Element> operands);
/// A Draw node's value from its operands'.
[[nodiscard]] Tensor drawn_tensor(std::span<const Element> words);

}  // namespace vecc
