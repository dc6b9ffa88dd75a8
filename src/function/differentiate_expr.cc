#include <vector>

#include "src/function/differentiate.h"
#include "src/function/expr_tensor.h"
#include "src/function/parameter_text.h"

namespace vecc {
namespace {

// Every node of an expression with its value and its gradient, in postfix order.
class ExprTape {
 public:
  ExprTape(const Expr& expr, std::span<const Element> operands) : expr_(expr) {
    std::vector<std::size_t> stack;  // nodes that no other one has taken yet
    for (const ExprNode& node : expr.nodes) {
      const std::size_t arity = operand_count(node);
      operands_.emplace_back(stack.end() - static_cast<std::ptrdiff_t>(arity), stack.end());
      stack.resize(stack.size() - arity);
      stack.push_back(values_.size());
      values_.push_back(value_of(node, operands_.back(), operands));
      gradients_.emplace_back(values_.back().values.size(), 0.0);
    }
    VECC_CHECK(stack.size() == 1, "expression's result");
  }

  void differentiate(std::span<const double> g, ElementGradients gradients) {
    gradients_.back().assign(g.begin(), g.end());
    for (std::size_t n = values_.size(); n-- > 0;) pass_on(n, gradients);
  }

 private:
  Tensor value_of(const ExprNode& node, const std::vector<std::size_t>& own,
                  std::span<const Element> operands) {
    switch (node.kind) {
      case ExprNode::Kind::Input: return Tensor(operands[node.input]);
      case ExprNode::Kind::Constant: return constant_tensor(node);
      case ExprNode::Kind::Transform: return transform_tensor(node, values_[own[0]].element());
      case ExprNode::Kind::Combine: return combine_tensors(node, elements_of(own));
      case ExprNode::Kind::Draw: return drawn_tensor(elements_of(own));
    }
    fail_check("known node", __FILE__, __LINE__, std::to_string(static_cast<int>(node.kind)));
  }

  [[nodiscard]] std::vector<Element> elements_of(const std::vector<std::size_t>& nodes) const {
    std::vector<Element> elements;
    for (const std::size_t n : nodes) elements.push_back(values_[n].element());
    return elements;
  }

  // From node n to its operands; from an Input leaf to the operand's gradient.
  void pass_on(std::size_t n, ElementGradients gradients) {
    const ExprNode& node = expr_.nodes[n];
    const std::vector<double>& g = gradients_[n];
    switch (node.kind) {
      case ExprNode::Kind::Input:
        differentiate_add(g, values_[n].shape, gradients[node.input]);
        return;
      case ExprNode::Kind::Constant:
      case ExprNode::Kind::Draw: return;
      case ExprNode::Kind::Transform: {
        const std::size_t operand = operands_[n][0];
        const Tensor& x = values_[operand];
        const auto words = std::span(node.words).first(word_count(node.transformation.id));
        vecc::differentiate(node.transformation, words, x.shape, x.values, values_[n].values, g,
                            gradients_[operand]);
        return;
      }
      case ExprNode::Kind::Combine: {
        std::vector<std::span<double>> own;
        for (const std::size_t operand : operands_[n]) own.emplace_back(gradients_[operand]);
        vecc::differentiate(node.combination, nullptr, elements_of(operands_[n]), values_[n].values,
                            g, own);
        return;
      }
    }
  }

  const Expr& expr_;
  std::vector<std::vector<std::size_t>> operands_;
  std::vector<Tensor> values_;
  std::vector<std::vector<double>> gradients_;
};

}  // namespace

void differentiate(const Expr& expr, std::span<const Element> operands, std::span<const double> g,
                   ElementGradients gradients) {
  ExprTape(expr, operands).differentiate(g, gradients);
}

}  // namespace vecc
