#include "optimizer/rewrite/doubtful_values.h"

#include <algorithm>
#include <cmath>

namespace vecc::opt {
namespace {

bool expr_makes_doubt(const ExprNode& node) {
  switch (node.kind) {
    case ExprNode::Kind::Input:
    case ExprNode::Kind::Draw: return false;
    case ExprNode::Kind::Constant: return is_doubtful(node.constant);
    case ExprNode::Kind::Transform: return makes_doubt(node.transformation.id);
    case ExprNode::Kind::Combine: return makes_doubt(node.combination);
  }
  return true;
}

struct MakesDoubt {
  bool operator()(const FactOp& fact) const {
    return !fact.unit && is_doubtful(fact.values.row(0), fact.values.size());
  }
  bool operator()(const TransformOp& op) const { return makes_doubt(op.transformation.id); }
  bool operator()(const SegmentOp& op) const { return makes_doubt(op.combination); }
  bool operator()(const MapOp& op) const {
    return std::ranges::any_of(op.expr->nodes,
                               [](const ExprNode& node) { return expr_makes_doubt(node); });
  }
  bool operator()(const VjpOp&) const { return true; }  // a derivative may be infinite
  bool operator()(const auto&) const { return false; }
};

}  // namespace

bool is_doubtful(const NumberRow& constants, std::size_t count) {
  constexpr double kLarge = 1e30;
  return constants.visit(count, [](auto values) {
    return !std::ranges::all_of(values, [](double c) { return std::abs(c) < kLarge; });
  });
}

bool is_doubtful(double constant) {
  return is_doubtful(NumberRow(&constant), 1);
}

bool makes_doubt(Combination combination) {
  return info(combination).doubt == FunctionDoubt::Doubtful;
}

bool makes_doubt(Transformation transformation) {
  return info(transformation).doubt == FunctionDoubt::Doubtful;
}

bool DoubtfulValues::operator[](ValueId value) {
  if (doubtful_) return (*doubtful_)[value];
  std::vector<bool>& doubtful = doubtful_.emplace(program_.ops().size());
  for (ValueId id = 0; id < doubtful.size(); ++id) {
    const Op& op = program_.op(id);
    doubtful[id] =
        std::visit(MakesDoubt(), op.attributes) ||
        std::ranges::any_of(op.operands, [&](ValueId operand) { return doubtful[operand]; });
  }
  return doubtful[value];
}

}  // namespace vecc::opt
