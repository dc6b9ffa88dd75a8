#include "src/plan/analysis/equal_rows.h"

#include <algorithm>
#include <vector>

namespace vecc {
namespace {

// Whether row i of the result depends on row i of each operand alone, or on an operand's only row.
bool is_made_by_row(const Program& program, const Op& op) {
  if (op.kind() == OpKind::Map) return true;
  if (const auto* transform = std::get_if<TransformOp>(&op.attributes)) {
    return transform->words == nullptr ||
           transform->words->size() == word_count(transform->transformation.id);
  }
  if (const auto* linear = std::get_if<LinearOp>(&op.attributes)) {
    return linear->lift_left.kind == Lift::Kind::None &&
           linear->lift_right.kind == Lift::Kind::None;
  }
  const auto* vjp = std::get_if<VjpOp>(&op.attributes);
  if (vjp == nullptr || std::holds_alternative<SegmentOp>(vjp->of)) return false;
  const auto* transform = std::get_if<TransformOp>(&vjp->of);
  return (transform == nullptr || transform->words == nullptr) &&
         op.rows == program.op(op.operands.back()).rows;
}

}  // namespace

bool has_equal_rows(const Program& program, ValueId value, ValueId numbers) {
  const std::uint32_t rows = program.op(numbers).rows;
  if (rows <= 1) return true;
  // All operands that have as many rows are such values: in the order of the Program.
  std::vector<bool> is_equal(std::size_t{value} + 1);
  for (ValueId id = 0; id <= value; ++id) {
    const Op& op = program.op(id);
    const bool is_by_number =
        (op.kind() == OpKind::Take || op.kind() == OpKind::SumEqual) && op.operands[1] == numbers;
    is_equal[id] = is_by_number || (op.rows == rows && is_made_by_row(program, op) &&
                                    std::ranges::all_of(op.operands, [&](ValueId operand) {
                                      return program.op(operand).rows == 1 || is_equal[operand];
                                    }));
  }
  return is_equal[value];
}

}  // namespace vecc
