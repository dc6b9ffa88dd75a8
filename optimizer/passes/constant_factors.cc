#include "optimizer/passes/constant_factors.h"

#include <algorithm>

#include "optimizer/passes/fold_plan.h"
#include "optimizer/rewrite/row_map.h"

namespace vecc::opt {
namespace {

bool is_computed_scalar(const Op& op) {
  const bool is_read =
      op.kind() == OpKind::Fact || op.kind() == OpKind::Gather || op.kind() == OpKind::Concat;
  return !is_read && op.shape.is_scalar();
}

}  // namespace

ConstantFactors::ConstantFactors(const Program& program, const SourceRows& sources,
                                 const std::vector<bool>& constant)
    : program_(program), sources_(sources) {
  std::vector<ValueId> wanted;
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    if (constant[id] && is_computed_scalar(program.op(id))) wanted.push_back(id);
  }
  if (wanted.empty()) return;
  FoldPlan plan = plan_folds(program, sources);
  const std::vector<FoldDecision> folds = plan.decisions;
  plan.decisions.assign(folds.size(), FoldDecision::Keep);
  plan.needed.assign(plan.needed.size(), false);
  for (const ValueId id : wanted) {
    if (folds[id] != FoldDecision::Fold) continue;
    plan.decisions[id] = FoldDecision::Fold;
    const SourceRows::View numbers = sources.of(id);
    for (std::uint32_t row = 0; row < program.op(id).rows; ++row) plan.needed[numbers[row]] = true;
  }
  evaluated_ = evaluate_folds(program, sources, plan);
  for (FoldedRows& rows : evaluated_) {
    if (std::ranges::find(rows.place, kNoRow) != rows.place.end()) rows = {};
  }
}

bool ConstantFactors::has(ValueId value) const {
  const Op& op = program_.op(value);
  if (!op.shape.is_scalar()) return false;
  if (op.kind() == OpKind::Gather || op.kind() == OpKind::Concat) {
    return std::ranges::all_of(op.operands, [&](ValueId operand) { return has(operand); });
  }
  return op.kind() == OpKind::Fact || (!evaluated_.empty() && !evaluated_[value].place.empty());
}

double ConstantFactors::at(std::uint32_t number) const {
  const auto [value, row] = sources_.source(number);
  const auto* fact = std::get_if<FactOp>(&program_.op(value).attributes);
  if (fact == nullptr) return evaluated_[value].values[evaluated_[value].place[row]];
  return fact->unit ? 1 : fact->values[row];
}

}  // namespace vecc::opt
