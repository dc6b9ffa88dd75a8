#include "optimizer/rewrite/unit_rows.h"

#include <algorithm>

#include "src/program/members.h"

namespace vecc::opt {
namespace {

bool has_units(const Op& op) {
  const auto* fact = std::get_if<FactOp>(&op.attributes);
  if (!fact || !fact->shape.is_scalar()) return false;
  return fact->unit || fact->values.visit([](auto values) {
    return std::ranges::find(values, 1.0) != values.end();
  });
}

}  // namespace

bool is_unit_fact(const Op& op) {
  const auto* fact = std::get_if<FactOp>(&op.attributes);
  if (!fact || !fact->shape.is_scalar()) return false;
  if (fact->unit) return true;
  return op.rows > 0 && fact->values.visit([](auto values) {
    return std::ranges::all_of(values, [](double x) { return x == 1.0; });
  });
}

UnitRows::UnitRows(const Program& program) : program_(program) {
  if (std::ranges::none_of(program.ops(), has_units) || !SourceRows::fits(program)) return;
  sources_.emplace(program);
  unit_.resize(sources_->size());
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const Op& op = program.op(id);
    if (!op.shape.is_scalar()) continue;
    if (const auto* fact = std::get_if<FactOp>(&op.attributes)) mark_fact(*fact, id);
    if (const auto* linear = std::get_if<LinearOp>(&op.attributes)) mark_product(*linear, id);
  }
}

void UnitRows::mark_fact(const FactOp& fact, ValueId id) {
  const SourceRows::View rows = sources_->of(id);
  for (std::uint32_t i = 0; i < fact.rows; ++i) {
    unit_[rows[i]] = fact.unit || fact.values[i] == 1.0;
  }
}

void UnitRows::mark_product(const LinearOp& linear, ValueId id) {
  const Op& op = program_.op(id);
  const Op& left = program_.op(op.operands[0]);
  const Op& right = program_.op(op.operands[1]);
  if (!left.shape.is_scalar() || !right.shape.is_scalar()) return;  // a dot product
  const SourceRows::View rows = sources_->of(id);
  const SourceRows::View left_rows = sources_->of(op.operands[0]);
  const SourceRows::View right_rows = sources_->of(op.operands[1]);
  for (std::uint32_t i = 0; i < op.rows; ++i) {
    unit_[rows[i]] = unit_[left_rows[unlifted_row(linear.lift_left, left.rows, i)]] &&
                     unit_[right_rows[unlifted_row(linear.lift_right, right.rows, i)]];
  }
}

bool UnitRows::all(ValueId value) const {
  const Op& op = program_.op(value);
  if (!sources_ || !op.shape.is_scalar() || op.rows == 0) return false;
  const SourceRows::View rows = sources_->of(value);
  for (std::uint32_t i = 0; i < op.rows; ++i) {
    if (!unit_[rows[i]]) return false;
  }
  return true;
}

}  // namespace vecc::opt
