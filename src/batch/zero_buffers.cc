#include "src/batch/zero_buffers.h"

#include <algorithm>

#include "src/batch/zero_nodes.h"

namespace vecc {
namespace {

using Kind = KernelNode::Kind;

// Whether members that are 0 by `zeros` change nothing of what a node is.
bool ignores_zero_members(const KernelNode& node, const std::vector<bool>& zeros) {
  switch (node.kind) {
    case Kind::ReduceArg:
    case Kind::Selected:
    case Kind::Scan:
    case Kind::Threshold: return false;
    case Kind::Reduce:
      return node.combination == Combination::Sum && !node.operands.empty() &&
             zeros[node.operands[0]];
    case Kind::Load:
    case Kind::Constant:
    case Kind::Transform:
    case Kind::TransformVjp:
    case Kind::Combine:
    case Kind::CombineVjp:
    case Kind::Draw:
    case Kind::Times:
    case Kind::RowSum:
    case Kind::Guard: return !node.words_by_row;
  }
  return false;
}

}  // namespace

// Buffers are 0 but for a batch until a launch stores something else there.
ZeroBuffers::ZeroBuffers(const Plan& plan, const std::vector<ParameterIndex>& weights)
    : plan_(plan) {
  for (const PlanBuffer& buffer : plan.buffers) {
    const bool is_weight = buffer.kind == PlanBuffer::Kind::Parameter &&
                           std::ranges::find(weights, buffer.source) != weights.end();
    is_weight_.push_back(is_weight);
    is_zero_.push_back(is_weight || buffer.kind == PlanBuffer::Kind::Arena);
  }
  for (bool changes = true; changes;) {
    changes = false;
    for (const Launch& launch : plan.launches) changes = note_stores(launch) || changes;
  }
}

bool ZeroBuffers::note_stores(const Launch& launch) {
  const std::vector<bool> zeros = of(launch).nodes;
  bool changes = false;
  for (const KernelStore& store : plan_.kernels[launch.kernel].stores) {
    const BufferIndex buffer = launch.accesses[store.access].buffer;
    if (zeros[store.value] || !is_zero_[buffer]) continue;
    is_zero_[buffer] = false;
    changes = true;
  }
  return changes;
}

LaunchZeros ZeroBuffers::zeros_of(const Launch& launch, bool of_members_only) const {
  const Kernel& kernel = plan_.kernels[launch.kernel];
  LaunchZeros zeros;
  for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
    const bool counts = !of_members_only || kernel.accesses[a].space == KernelSpace::Member;
    zeros.loads.push_back(counts && !kernel.accesses[a].store &&
                          is_zero_[launch.accesses[a].buffer]);
    zeros.given.push_back(zeros.loads.back() && is_weight_[launch.accesses[a].buffer]);
  }
  zeros.nodes = zero_nodes(kernel, zeros.loads);
  return zeros;
}

LaunchZeros ZeroBuffers::of(const Launch& launch) const {
  return zeros_of(launch, false);
}

bool ZeroBuffers::may_drop_members(const Launch& launch) const {
  const Kernel& kernel = plan_.kernels[launch.kernel];
  const LaunchZeros zeros = zeros_of(launch, true);
  if (kernel.segments == KernelSegments::None ||
      std::ranges::find(zeros.loads, true) == zeros.loads.end()) {
    return false;
  }
  const auto stores_members = [](const KernelAccess& access) {
    return access.store && access.space == KernelSpace::Member;
  };
  return std::ranges::none_of(kernel.accesses, stores_members) &&
         std::ranges::all_of(kernel.nodes, [&](const KernelNode& node) {
           return ignores_zero_members(node, zeros.nodes);
         });
}

}  // namespace vecc
