// Every op of a Program, in order: each kind has a file of its own here.
#include <utility>

#include "src/plan/lower/lower_ops.h"

namespace vecc {
namespace {

void lower_vjp(const OpLowering& lowering, const VjpOp& vjp) {
  if (const auto* transform = std::get_if<TransformOp>(&vjp.of)) {
    lower_transform_vjp(lowering, vjp, *transform);
  } else if (const auto* map = std::get_if<MapOp>(&vjp.of)) {
    lower_map_vjp(lowering, *map);
  } else {
    lower_segment_vjp(lowering, std::get<SegmentOp>(vjp.of));
  }
}

void lower_op(const OpLowering& lowering) {
  const Op& op = lowering.program.op(lowering.op);
  switch (op.kind()) {
    case OpKind::Fact:
    case OpKind::Weight:
    case OpKind::State:
    case OpKind::Gather: return;  // stored before, or read through
    case OpKind::Update: return;  // in the end
    case OpKind::Output: return lower_output(lowering);
    case OpKind::Concat: return lower_concat(lowering);
    case OpKind::Linear: return lower_linear(lowering, std::get<LinearOp>(op.attributes));
    case OpKind::Segment: return lower_segment(lowering, std::get<SegmentOp>(op.attributes));
    case OpKind::Transform: return lower_transform(lowering, std::get<TransformOp>(op.attributes));
    case OpKind::Map: return lower_map(lowering, std::get<MapOp>(op.attributes));
    case OpKind::Contract: return lower_contract(lowering, std::get<ContractOp>(op.attributes));
    case OpKind::Vjp: return lower_vjp(lowering, std::get<VjpOp>(op.attributes));
    case OpKind::Draw: return lower_draw(lowering, std::get<DrawOp>(op.attributes));
    case OpKind::Take: return lower_take(lowering);
    case OpKind::SumEqual: return lower_sum_equal(lowering);
    case OpKind::ScatterSum:
      return lower_scatter_sum(lowering, std::get<ScatterSumOp>(op.attributes));
  }
  fail_check("known op", __FILE__, __LINE__, std::string(text_of(op.kind())));
}

// A contract and a sum beside it, at the place of the first of both.
void lower_side_sum(OpLowering lowering, ValueId second) {
  ValueId sum = lowering.op;
  ValueId contract = second;
  if (lowering.program.op(sum).kind() == OpKind::Contract) std::swap(sum, contract);
  lowering.op = contract;
  lower_contract(lowering, std::get<ContractOp>(lowering.program.op(contract).attributes), sum);
}

}  // namespace

Grouping lower_program(const Program& program, const PlanOptions& options,
                       const ProgramAnalysis& analysis) {
  Grouping grouping(program, analysis);
  OpLowering lowering{program, options, analysis, grouping};
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    lowering.op = id;
    lowering.stage = id >= options.second_stage ? 1 : 0;
    const ValueId partner = analysis.side_sums[id];
    if (partner == kNone) {
      lower_op(lowering);
    } else if (id < partner) {
      lower_side_sum(lowering, partner);
    }
  }
  lower_updates(lowering);
  return grouping;
}

}  // namespace vecc
