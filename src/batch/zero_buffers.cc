#include "src/batch/zero_buffers.h"

#include <algorithm>

#include "src/batch/batch_loops.h"
#include "src/batch/zero_nodes.h"

namespace vecc {
namespace {

using Kind = KernelNode::Kind;

// Whether members that are at rest change nothing of what a node is.
bool ignores_resting_members(const KernelNode& node, const std::vector<Rest>& rests) {
  switch (node.kind) {
    case Kind::Scan: return false;
    case Kind::ReduceArg: return never_selects(node, rests);
    case Kind::Threshold: return rests[node.operands[0]] == Rest::Lowest;
    case Kind::Reduce: {
      const bool adds = node.combination == Combination::Sum && !node.operands.empty() &&
                        rests[node.operands[0]] == Rest::Zero;
      return adds || never_selects(node, rests);
    }
    case Kind::Load:
    case Kind::Constant:
    case Kind::Transform:
    case Kind::TransformVjp:
    case Kind::Combine:
    case Kind::CombineVjp:
    case Kind::Draw:
    case Kind::Times:
    case Kind::RowSum:
    case Kind::Selected:
    case Kind::Guard: return !node.words_by_row;
  }
  return false;
}

}  // namespace

// Buffers are 0 but for a batch until a launch stores something else there. Where a batch gives no
// weights it changes nothing: what is 0 is computed, to its sign.
ZeroBuffers::ZeroBuffers(const Plan& plan, const std::vector<ParameterIndex>& weights,
                         bool reads_outputs)
    : plan_(plan),
      is_read_(reads_outputs ? std::vector<bool>(plan.buffers.size(), true) : find_read(plan)) {
  for (const PlanBuffer& buffer : plan.buffers) {
    const bool is_weight = buffer.kind == PlanBuffer::Kind::Parameter &&
                           std::ranges::find(weights, buffer.source) != weights.end();
    is_weight_.push_back(is_weight);
    const bool is_made = buffer.kind == PlanBuffer::Kind::Arena && !weights.empty();
    buffers_.push_back({false, is_weight || is_made ? Rest::Zero : Rest::None});
  }
  for (bool changes = true; changes;) {
    changes = false;
    for (const Launch& launch : plan.launches) changes = note_stores(launch) || changes;
  }
}

std::vector<bool> ZeroBuffers::find_read(const Plan& plan) {
  std::vector<bool> is_read;
  for (const PlanBuffer& buffer : plan.buffers) {
    is_read.push_back(buffer.kind != PlanBuffer::Kind::Arena);
  }
  for (const Launch& launch : plan.launches) {
    const Kernel& kernel = plan.kernels[launch.kernel];
    for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
      if (!kernel.accesses[a].store) is_read[launch.accesses[a].buffer] = true;
    }
  }
  return is_read;
}

std::vector<Rest> ZeroBuffers::rests() const {
  std::vector<Rest> rests;
  for (const Buffer& buffer : buffers_) rests.push_back(buffer.rest);
  return rests;
}

bool ZeroBuffers::note_stores(const Launch& launch) {
  const std::vector<Rest> rests = of(launch).nodes;
  bool changes = false;
  for (const KernelStore& store : plan_.kernels[launch.kernel].stores) {
    Buffer& buffer = buffers_[launch.accesses[store.access].buffer];
    if (buffer.rest == Rest::None) continue;
    const Rest stored = rests[store.value];
    const Rest rest = !buffer.is_stored || stored == buffer.rest ? stored : Rest::None;
    changes = changes || rest != buffer.rest;
    buffer = {true, rest};
  }
  return changes;
}

LaunchZeros ZeroBuffers::zeros_of(const Launch& launch, bool of_member) const {
  const Kernel& kernel = plan_.kernels[launch.kernel];
  LaunchZeros zeros;
  std::vector<Rest> loads;
  for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
    const bool counts = !of_member || is_by_member(kernel.accesses[a]);
    const bool is_load = counts && !kernel.accesses[a].store;
    loads.push_back(is_load ? rest_of(launch.accesses[a].buffer) : Rest::None);
    zeros.loads.push_back(loads.back() != Rest::None);
    zeros.given.push_back(zeros.loads.back() && is_weight_[launch.accesses[a].buffer]);
    zeros.own.push_back(zeros.loads.back() && kernel.accesses[a].map == RowMap::Direct);
  }
  zeros.nodes = of_member ? rest_nodes_of_member(kernel, loads) : rest_nodes(kernel, loads);
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
  const auto keeps_rest = [&](const KernelStore& store) {
    if (kernel.accesses[store.access].space != KernelSpace::Member) return true;
    if (!is_read_[launch.accesses[store.access].buffer]) return true;  // a step's outputs
    const Rest rest = rest_of(launch.accesses[store.access].buffer);
    return rest != Rest::None && rest == zeros.nodes[store.value];
  };
  return std::ranges::all_of(kernel.stores, keeps_rest) &&
         std::ranges::all_of(kernel.nodes, [&](const KernelNode& node) {
           return ignores_resting_members(node, zeros.nodes);
         });
}

}  // namespace vecc
