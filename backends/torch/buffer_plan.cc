#include "backends/torch/buffer_plan.h"

#include <algorithm>

namespace vecc::libtorch {
namespace {

// The concat that continues each concat in its buffer, or kNone.
class ConcatLinks {
 public:
  static constexpr ValueId kNone = std::numeric_limits<ValueId>::max();

  explicit ConcatLinks(const Program& program)
      : program_(program), next_(program.ops().size(), kNone), last_(program.ops().size(), kNone) {
    // Readers stand after what they read: from the end, every concat's own last one is known.
    for (auto id = static_cast<ValueId>(program.ops().size()); id-- > 0;) {
      if (program.op(id).kind() != OpKind::Concat) continue;
      if (last_[id] == kNone) last_[id] = id;
      const ValueId before = program.op(id).operands[0];
      if (program.op(before).kind() == OpKind::Concat) offer(before, id);
    }
  }

  [[nodiscard]] ValueId next(ValueId concat) const { return next_[concat]; }
  /// The last concat of the chain that goes on from here.
  [[nodiscard]] ValueId last(ValueId concat) const { return last_[concat]; }

 private:
  void offer(ValueId before, ValueId id) {
    const bool longer =
        next_[before] == kNone || program_.op(last_[id]).rows >= program_.op(last_[before]).rows;
    if (!longer) return;
    next_[before] = id;
    last_[before] = last_[id];
  }

  const Program& program_;
  std::vector<ValueId> next_;
  std::vector<ValueId> last_;
};

void plan_chains(const Program& program, BufferPlan& plan) {
  const ConcatLinks links(program);
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const ValueId next =
        program.op(id).kind() == OpKind::Concat ? links.next(id) : ConcatLinks::kNone;
    if (next == ConcatLinks::kNone) continue;
    if (plan.chain[id] == kNoChain) {
      plan.chain[id] = static_cast<std::uint32_t>(plan.chains.size());
      plan.chains.push_back({program.op(links.last(id)).rows, program.op(id).shape});
    }
    plan.chain[next] = plan.chain[id];
    plan.continues[next] = true;
  }
}

void plan_releases(const Program& program, const FusedReads& fused, std::span<const ValueId> kept,
                   BufferPlan& plan) {
  std::vector<ValueId> last_reader(program.ops().size());
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    last_reader[id] = id;  // an unread value goes at once
    for (const ValueId operand : fused.operands(id)) last_reader[operand] = id;
  }
  std::vector<bool> stays(program.ops().size());
  for (const ValueId id : kept) stays[id] = true;
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const OpKind kind = program.op(id).kind();
    if (stays[id] || kind == OpKind::Output || kind == OpKind::Update) continue;
    plan.released[last_reader[id]].push_back(id);
  }
}

}  // namespace

BufferPlan plan_buffers(const Program& program, const FusedReads& fused,
                        std::span<const ValueId> kept) {
  const std::size_t count = program.ops().size();
  BufferPlan plan;
  plan.chain.assign(count, kNoChain);
  plan.continues.assign(count, false);
  plan.released.resize(count);
  plan_chains(program, plan);
  plan_releases(program, fused, kept, plan);
  return plan;
}

}  // namespace vecc::libtorch
