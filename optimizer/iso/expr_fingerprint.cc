#include "optimizer/iso/expr_fingerprint.h"

#include <algorithm>

#include "src/function/parameter_text.h"

namespace vecc::opt::iso {
namespace {

std::span<const std::uint32_t> words_of(const ExprNode& node) {
  return std::span(node.words).first(word_count(node.transformation.id));
}

Shape node_shape(const ExprNode& node, std::span<const Shape> inputs,
                 std::span<const Shape> operands) {
  const auto checked = [](const Result<Shape>& shape) {
    VECC_CHECK(shape.has_value(), shape ? "" : shape.error().text());
    return *shape;
  };
  switch (node.kind) {
    case ExprNode::Kind::Input: return operands[node.input];
    case ExprNode::Kind::Constant: return Shape::scalar();
    case ExprNode::Kind::Transform:
      return checked(transformed_shape(node.transformation, words_of(node), inputs[0], {}));
    case ExprNode::Kind::Combine:
      return checked(combined_shape(node.combination, node.axis, nullptr, inputs, {}));
    case ExprNode::Kind::Draw: return checked(drawn_shape(inputs, {}));
  }
  return {};
}

// What a Reduction makes of the members as they are; of a selection it wants equal ones once.
bool is_reduced(const ExprNode& node) {
  return node.kind == ExprNode::Kind::Combine &&
         (node.combination == Combination::Sum || node.combination == Combination::Avg ||
          node.combination == Combination::ElProduct);
}

}  // namespace

ExprFingerprint::ExprFingerprint(const Keys& keys, const Expr& expr,
                                 std::span<const Shape> operands)
    : keys_(keys), expr_(expr), begin_{0}, first_{0} {
  std::vector<std::size_t> stack;
  std::vector<Shape> shapes;
  for (std::size_t node = 0; node < expr.nodes.size(); ++node) {
    const auto inputs = std::span(stack).last(operand_count(expr.nodes[node]));
    shapes.clear();
    for (const std::size_t input : inputs) shapes.push_back(shapes_[input]);
    shapes_.push_back(node_shape(expr.nodes[node], shapes, operands));
    begin_.push_back(begin_.back() + keys_.part_count(shapes_.back()));
    auto& reduction = reductions_.emplace_back();
    if (is_reduced(expr.nodes[node])) {
      reduction.emplace(keys, expr.nodes[node].combination, shapes_.back());
    }
    inputs_.insert(inputs_.end(), inputs.begin(), inputs.end());
    first_.push_back(inputs_.size());
    stack.resize(stack.size() - inputs.size());
    stack.push_back(node);
  }
  parts_.resize(begin_.back());
  doubtful_.resize(shapes_.size());
  for (std::size_t node = 0; node < expr.nodes.size(); ++node) {
    if (expr.nodes[node].kind != ExprNode::Kind::Constant) continue;
    const double constant = expr.nodes[node].constant;
    parts_[begin_[node]] = keys_.constant(constant);
    doubtful_[node] = is_doubtful(constant);
  }
}

bool ExprFingerprint::compute(std::span<const RowFingerprint> operands, std::span<Residues> y) {
  const auto computes = [](const ExprNode& node) {  // constants are, inputs are read where they are
    return node.kind != ExprNode::Kind::Constant && node.kind != ExprNode::Kind::Input;
  };
  const std::size_t last = expr_.nodes.size() - 1;
  for (std::size_t node = 0; node < last; ++node) {
    if (computes(expr_.nodes[node])) doubtful_[node] = compute_node(node, operands, parts_of(node));
  }
  if (computes(expr_.nodes[last])) return compute_node(last, operands, y);
  const RowFingerprint result = value(last, operands);
  std::ranges::copy(result.parts, y.begin());
  return result.doubtful;
}

bool ExprFingerprint::compute_node(std::size_t node, std::span<const RowFingerprint> operands,
                                   std::span<Residues> y) {
  const ExprNode& what = expr_.nodes[node];
  elements_.clear();
  for (std::size_t k = first_[node]; k < first_[node + 1]; ++k) {
    elements_.push_back(value(inputs_[k], operands));
  }
  const bool doubtful = std::ranges::any_of(elements_, &RowFingerprint::doubtful);
  switch (what.kind) {
    case ExprNode::Kind::Input:
    case ExprNode::Kind::Constant: return doubtful;
    case ExprNode::Kind::Transform:
      fingerprint_transformation(keys_, what.transformation, words_of(what), elements_[0],
                                 shapes_[node], y);
      return doubtful || makes_doubt(what.transformation.id);
    case ExprNode::Kind::Combine:
      if (reductions_[node]) return reductions_[node]->reduce(elements_, y);
      fingerprint_combination(keys_, what.combination, elements_, shapes_[node], y);
      return doubtful || makes_doubt(what.combination);
    case ExprNode::Kind::Draw: fingerprint_draw(keys_, elements_, y); return doubtful;
  }
  return true;
}

}  // namespace vecc::opt::iso
