#include "src/samples/softmax_factor.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "src/function/evaluate.h"
#include "src/program/members.h"

namespace vecc {
namespace {

// Whether a function is 0 of what is 0 in all entries.
bool keeps_zero(const TransformationSpec& spec) {
  switch (info(spec.id).form) {
    case FunctionForm::Same:
    case FunctionForm::Transposed:
    case FunctionForm::Part:
    case FunctionForm::Entry:
    case FunctionForm::Shape:
    case FunctionForm::Broadcast: return true;
    case FunctionForm::Entries: {
      const double x = 0;
      double y = 1;
      evaluate(spec, {}, Shape::scalar(), {&x, 1}, {&y, 1});
      return y == 0;
    }
    case FunctionForm::Row:
    case FunctionForm::Column: return false;
  }
  return false;
}

// Whether a combination is 0 where all of its elements are; of a product one is enough.
bool combines_zeros(Combination combination) {
  switch (combination) {
    case Combination::Sum:
    case Combination::Avg:
    case Combination::Max:
    case Combination::Min:
    case Combination::ElMax:
    case Combination::ElMin:
    case Combination::Concat:
    case Combination::CrossSum: return true;
    case Combination::Product:
    case Combination::ElProduct:
    case Combination::CosSim:
    case Combination::Count:
    case Combination::Softmax:
    case Combination::Sparsemax:
    case Combination::FunctionGraph: return false;
  }
  return false;
}

// Whether an expression is 0 where its operand `input` is, whatever the others are.
bool is_zero_with(const Expr& expr, std::uint32_t input) {
  std::vector<bool> zeros;  // of the operands of what comes next
  for (const ExprNode& node : expr.nodes) {
    switch (node.kind) {
      case ExprNode::Kind::Input: zeros.push_back(node.input == input); break;
      case ExprNode::Kind::Constant: zeros.push_back(node.constant == 0); break;
      case ExprNode::Kind::Transform:
        zeros.back() = zeros.back() && keeps_zero(node.transformation);
        break;
      case ExprNode::Kind::Combine:
      case ExprNode::Kind::Draw: {
        const auto first = zeros.end() - static_cast<std::ptrdiff_t>(node.arity);
        const bool any = std::find(first, zeros.end(), true) != zeros.end();
        const bool all = std::find(first, zeros.end(), false) == zeros.end();
        const bool multiplies =
            node.combination == Combination::Product || node.combination == Combination::ElProduct;
        const bool is_zero = node.kind == ExprNode::Kind::Combine &&
                             ((multiplies && any) || (combines_zeros(node.combination) && all));
        zeros.erase(first, zeros.end());
        zeros.push_back(is_zero);
        break;
      }
    }
  }
  return zeros.back();
}

class FactorFinder {
 public:
  FactorFinder(const Program& program, ValueId segment)
      : program_(program), segment_(program.op(segment)) {}

  std::optional<ValueId> find() {
    push({segment_.operands[0], {}});
    while (!open_.empty()) {
      const Factor factor = std::move(open_.back());
      open_.pop_back();
      if (is_softmax_of_members(factor)) return factor.value;
      follow(factor);
    }
    return std::nullopt;
  }

 private:
  // Row e of the operand is 0 where the row of `value` is that these lists lead to, one after
  // another.
  struct Factor {
    ValueId value = 0;
    std::vector<const Index*> reads;
    auto operator<=>(const Factor&) const = default;
  };

  void push(Factor factor) {
    if (seen_.insert(factor).second) open_.push_back(std::move(factor));
  }

  [[nodiscard]] bool is_softmax_of_members(const Factor& factor) const {
    const Op& op = program_.op(factor.value);
    const auto* softmax = std::get_if<SegmentOp>(&op.attributes);
    if (softmax == nullptr || !keeps_members(softmax->combination)) return false;
    const std::uint32_t rows = program_.op(segment_.operands[0]).rows;
    const auto& own = std::get<SegmentOp>(segment_.attributes);
    if (op.rows != rows || !(softmax->segments == own.segments)) return false;
    for (std::uint32_t e = 0; e < rows && !factor.reads.empty(); ++e) {
      std::uint32_t row = e;
      for (const Index* index : factor.reads) row = (*index)[row];
      if (row != e) return false;
    }
    return true;
  }

  void follow(const Factor& factor) {
    const Op& op = program_.op(factor.value);
    const auto follow_operand = [&](std::size_t k) { push({op.operands[k], factor.reads}); };
    if (const auto* linear = std::get_if<LinearOp>(&op.attributes)) {
      if (linear->lift_left == Lift()) follow_operand(0);
      if (linear->lift_right == Lift()) follow_operand(1);
    } else if (const auto* transform = std::get_if<TransformOp>(&op.attributes)) {
      if (keeps_zero(transform->transformation)) follow_operand(0);
    } else if (const auto* map = std::get_if<MapOp>(&op.attributes)) {
      for (std::uint32_t k = 0; k < op.operands.size(); ++k) {
        const bool is_aligned = program_.op(op.operands[k]).rows == op.rows;
        if (is_aligned && is_zero_with(*map->expr, k)) follow_operand(k);
      }
    } else if (const auto* gather = std::get_if<GatherOp>(&op.attributes)) {
      Factor read{op.operands[0], factor.reads};
      read.reads.push_back(&gather->index);
      push(std::move(read));
    }
  }

  const Program& program_;
  const Op& segment_;
  std::vector<Factor> open_;
  std::set<Factor> seen_;
};

}  // namespace

std::optional<ValueId> find_softmax_factor(const Program& program, ValueId segment) {
  return FactorFinder(program, segment).find();
}

}  // namespace vecc
