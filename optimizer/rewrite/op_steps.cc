#include "optimizer/rewrite/op_steps.h"

#include "src/program/select_rows.h"
#include "src/program/value_indices.h"

namespace vecc::opt {
namespace {

std::uint32_t step_count(const Program& program, const Op& op) {
  switch (op.kind()) {
    case OpKind::Fact:
    case OpKind::Weight:
    case OpKind::State:
    case OpKind::Gather:
    case OpKind::Concat: return 0;
    case OpKind::Contract:
    case OpKind::Draw:
    case OpKind::Take:
    case OpKind::SumEqual:
    case OpKind::ScatterSum: return 1;
    case OpKind::Vjp: return is_row_wise(program, op) ? op.rows : 1;
    case OpKind::Segment:
      return std::get<SegmentOp>(op.attributes).segments.count(program.op(op.operands[0]).rows);
    case OpKind::Linear:
    case OpKind::Transform:
    case OpKind::Map:
    case OpKind::Update:
    case OpKind::Output: return op.rows;
  }
  return 0;
}

}  // namespace

OpSteps::OpSteps(const Program& program, const SourceRows& sources, ValueId id)
    : op_(program.op(id)), own_(sources.of(id)), count_(step_count(program, op_)) {
  for (const ValueId operand : op_.operands) {
    operands_.push_back({sources.of(operand), program.op(operand).rows});
  }
  makes_all_ = op_.kind() == OpKind::Contract ||
               (op_.kind() == OpKind::Vjp && !is_row_wise(program, op_)) ||
               (op_.kind() != OpKind::Update && has_value_index(op_));
  const auto* segment = std::get_if<SegmentOp>(&op_.attributes);
  makes_members_ = segment && keeps_members(segment->combination);
}

}  // namespace vecc::opt
