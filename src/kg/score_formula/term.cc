#include "src/kg/score_formula/term.h"

#include <utility>

#include "src/function/parameter_text.h"

namespace vecc::kg {
namespace {

TermPtr known_term(ExprNode node, std::vector<TermPtr> operands) {
  auto made = make_term(node, std::move(operands), "score");
  VECC_CHECK(made, "operands of a part of a score do not fit");
  return std::move(*made);
}

}  // namespace

TermPtr input_term(std::uint32_t number, Shape shape) {
  Term term;
  term.node.kind = ExprNode::Kind::Input;
  term.node.input = number;
  term.shape = shape;
  return std::make_shared<const Term>(std::move(term));
}

TermPtr constant_term(double value) {
  Term term;
  term.node.kind = ExprNode::Kind::Constant;
  term.node.constant = value;
  return std::make_shared<const Term>(std::move(term));
}

Result<TermPtr> make_term(ExprNode node, std::vector<TermPtr> operands, std::string_view place) {
  std::vector<Shape> shapes;
  for (const TermPtr& operand : operands) shapes.push_back(operand->shape);
  Term term;
  if (node.kind == ExprNode::Kind::Transform) {
    const TransformationSpec& spec = node.transformation;
    const auto words = std::span(node.words).first(word_count(spec.id));
    VECC_TRY(term.shape, transformed_shape(spec, words, shapes.front(), place));
  } else {
    node.arity = static_cast<std::uint32_t>(operands.size());
    VECC_TRY(term.shape, combined_shape(node.combination, node.axis, nullptr, shapes, place));
  }
  term.node = node;
  term.operands = std::move(operands);
  return std::make_shared<const Term>(std::move(term));
}

TermPtr transform_term(Transformation transformation, TermPtr x) {
  ExprNode node;
  node.kind = ExprNode::Kind::Transform;
  node.transformation.id = transformation;
  return known_term(node, {std::move(x)});
}

TermPtr combine_term(Combination combination, std::vector<TermPtr> operands) {
  if (operands.size() == 1) return std::move(operands.front());
  ExprNode node;
  node.kind = ExprNode::Kind::Combine;
  node.combination = combination;
  return known_term(node, std::move(operands));
}

TermPtr reshape_term(TermPtr x, Shape shape) {
  if (x->shape == shape) return x;
  ExprNode node;
  node.kind = ExprNode::Kind::Transform;
  node.transformation.id = Transformation::Reshape;
  node.transformation.target = shape;
  return known_term(node, {std::move(x)});
}

TermPtr part_term(TermPtr column, std::uint32_t begin, Shape shape) {
  const auto end = static_cast<std::uint32_t>(begin + shape.size());
  if (begin == 0 && end == column->shape.size()) return reshape_term(std::move(column), shape);
  ExprNode node;
  node.kind = ExprNode::Kind::Transform;
  node.transformation.id = Transformation::Slice;
  node.words = {begin, end, 0, kToEnd};
  return reshape_term(known_term(node, {std::move(column)}), shape);
}

TermPtr column_term(std::span<const TermPtr> parts) {
  if (parts.size() > 1) {
    return combine_term(Combination::Concat, std::vector<TermPtr>(parts.begin(), parts.end()));
  }
  const TermPtr& only = parts.front();
  return reshape_term(only, Shape::column(static_cast<std::uint32_t>(only->shape.size())));
}

TermPtr dot_term(const TermPtr& x, const TermPtr& y) {
  return combine_term(Combination::Product, {transform_term(Transformation::Transp, x), y});
}

TermPtr filled_term(double value, std::uint32_t size) {
  ExprNode node;
  node.kind = ExprNode::Kind::Transform;
  node.transformation.id = Transformation::Broadcast;
  node.transformation.target = Shape::column(size);
  return known_term(node, {constant_term(value)});
}

TermPtr ones_term(std::uint32_t size) {
  return filled_term(1, size);
}

TermPtr entry_sum_term(const TermPtr& x) {
  if (x->shape.is_scalar()) return x;
  const auto size = static_cast<std::uint32_t>(x->shape.size());
  return dot_term(reshape_term(x, Shape::column(size)), ones_term(size));
}

Expr expr_of(const TermPtr& term) {
  Expr expr;
  for (const TermPtr& operand : term->operands) {
    const Expr part = expr_of(operand);
    expr.nodes.insert(expr.nodes.end(), part.nodes.begin(), part.nodes.end());
  }
  expr.nodes.push_back(term->node);
  return expr;
}

std::size_t node_count(const TermPtr& term, std::size_t limit) {
  std::size_t count = 1;
  for (const TermPtr& operand : term->operands) {
    if (count > limit) return count;
    count += node_count(operand, limit - count);
  }
  return count;
}

bool equal(const TermPtr& a, const TermPtr& b) {
  if (a == b) return true;
  if (!(a->node == b->node) || a->shape != b->shape || a->operands.size() != b->operands.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a->operands.size(); ++i) {
    if (!equal(a->operands[i], b->operands[i])) return false;
  }
  return true;
}

TermPtr replace_inputs(const TermPtr& term,
                       const std::function<TermPtr(std::uint32_t)>& term_of_input) {
  if (term->node.kind == ExprNode::Kind::Input) return term_of_input(term->node.input);
  if (term->operands.empty()) return term;
  std::vector<TermPtr> operands;
  for (const TermPtr& operand : term->operands) {
    operands.push_back(replace_inputs(operand, term_of_input));
  }
  return known_term(term->node, std::move(operands));
}

}  // namespace vecc::kg
