#include "backends/torch/gradient_plan.h"

namespace vecc::libtorch {
namespace {

bool copies_some_rows(const Op& op) {
  const auto* gather = std::get_if<GatherOp>(&op.attributes);
  if (gather == nullptr) return false;
  switch (gather->index.form()) {
    case Index::Form::Slice:
    case Index::Form::Stride:
    case Index::Form::List: return true;
    case Index::Form::Repeat:
    case Index::Form::Interleave: return false;
  }
  return false;
}

}  // namespace

GradientPlan plan_gradients(const Program& program, const FusedReads& fused,
                            const BufferPlan& buffers, bool gradients) {
  const std::size_t count = program.ops().size();
  GradientPlan plan{std::vector<bool>(count, false), {}, std::vector(count, kNoRows)};
  if (!gradients) return plan;
  std::vector<std::uint32_t> partial_readers(count);
  for (ValueId id = 0; id < count; ++id) {
    const Op& op = program.op(id);
    plan.needed[id] = op.kind() == OpKind::Weight;
    const bool in_parts =
        copies_some_rows(op) || fused.sums().is_fused(id) || fused.linears().is_grouped(id);
    for (const ValueId operand : fused.operands(id)) {
      if (plan.needed[operand]) plan.needed[id] = true;
      if (in_parts) ++partial_readers[operand];
    }
  }
  for (const ConcatChain& chain : buffers.chains) {
    plan.collected.push_back({chain.rows, chain.shape});
  }
  for (ValueId id = 0; id < count; ++id) {
    if (!plan.needed[id]) continue;
    if (buffers.chain[id] != kNoChain) {
      plan.block[id] = buffers.chain[id];
    } else if (partial_readers[id] > 1) {
      plan.block[id] = static_cast<std::uint32_t>(plan.collected.size());
      plan.collected.push_back({program.op(id).rows, program.op(id).shape});
    }
  }
  return plan;
}

}  // namespace vecc::libtorch
