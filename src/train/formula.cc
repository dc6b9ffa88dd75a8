#include "src/train/formula.h"

#include <utility>

namespace vecc::training {

Formula::Formula(double constant) {
  ExprNode node;
  node.kind = ExprNode::Kind::Constant;
  node.constant = constant;
  expr_.nodes.push_back(node);
}

Formula Formula::operand(std::uint32_t number) {
  ExprNode node;
  node.kind = ExprNode::Kind::Input;
  node.input = number;
  Formula formula;
  formula.expr_.nodes.push_back(node);
  return formula;
}

Formula& Formula::append(const Formula& other) {
  expr_.nodes.insert(expr_.nodes.end(), other.expr_.nodes.begin(), other.expr_.nodes.end());
  return *this;
}

Formula& Formula::combine(Combination combination, const Formula& right) {
  append(right);
  ExprNode node;
  node.kind = ExprNode::Kind::Combine;
  node.combination = combination;
  node.arity = 2;
  expr_.nodes.push_back(node);
  return *this;
}

Formula& Formula::transform(const TransformationSpec& spec) {
  ExprNode node;
  node.kind = ExprNode::Kind::Transform;
  node.transformation = spec;
  expr_.nodes.push_back(node);
  return *this;
}

Formula operator+(Formula left, const Formula& right) {
  return left.combine(Combination::Sum, right);
}

Formula operator-(Formula left, const Formula& right) {
  return left.combine(Combination::Sum, -right);
}

Formula operator*(Formula left, const Formula& right) {
  return left.combine(Combination::ElProduct, right);
}

Formula operator/(Formula left, const Formula& right) {
  return std::move(left) * apply(Transformation::Inverse, right);
}

Formula apply(Transformation transformation, Formula x) {
  TransformationSpec spec;
  spec.id = transformation;
  return x.transform(spec);
}

Formula reshape(Formula x, Shape target) {
  TransformationSpec spec;
  spec.id = Transformation::Reshape;
  spec.target = target;
  return x.transform(spec);
}

Formula broadcast(Formula x, Shape target) {
  TransformationSpec spec;
  spec.id = Transformation::Broadcast;
  spec.target = target;
  return x.transform(spec);
}

Formula dot(Formula left, const Formula& right) {
  return apply(Transformation::Transp, std::move(left)).combine(Combination::Product, right);
}

Formula smaller(Formula x, const Formula& y) {
  return x.combine(Combination::Min, y);
}

Formula at_least(const Formula& x, double bound) {
  return apply(Transformation::Relu, x - bound) + bound;
}

}  // namespace vecc::training
