#include "src/batch/batch_updates.h"

#include <algorithm>

#include "src/batch/zero_nodes.h"

namespace vecc {
namespace {

bool is_kept(const PlanBuffer& buffer) {
  return buffer.kind == PlanBuffer::Kind::Parameter || buffer.kind == PlanBuffer::Kind::State;
}

Errors unsupported(std::string why) {
  return {ErrorCode::BackendUnsupported, "batches", std::move(why)};
}

}  // namespace

BatchUpdates::BatchUpdates(const Plan& plan, const Program& program, const BatchOptions& options)
    : plan_(plan), lists_touched_(options.lists_touched) {
  for (const BatchOptions::Update& update : options.updates) {
    const auto at = std::ranges::find(groups_, update.parameter);
    const auto group = static_cast<std::uint32_t>(at - groups_.begin());
    if (at == groups_.end()) groups_.push_back(update.parameter);
    const ValueId target = program.op(update.update).operands[0];
    if (program.op(target).kind() == OpKind::State) group_of_state_[target] = group;
  }
  has_source_.assign(groups_.size(), false);
}

std::uint32_t BatchUpdates::group_of(const PlanBuffer& buffer) const {
  if (buffer.kind == PlanBuffer::Kind::State) {
    const auto found = group_of_state_.find(buffer.source);
    return found == group_of_state_.end() ? kNone : found->second;
  }
  const auto at = std::ranges::find(groups_, buffer.source);
  return at == groups_.end() ? kNone : static_cast<std::uint32_t>(at - groups_.begin());
}

// Parameters and states are read as they were before the step.
Result<void> BatchUpdates::check_order(const Launch& launch) {
  const Kernel& kernel = plan_.kernels[launch.kernel];
  for (std::uint32_t a = 0; a < launch.accesses.size(); ++a) {
    const PlanBuffer& buffer = buffer_of(launch, a);
    if (kernel.accesses[a].store || !updated_.contains({buffer.kind, buffer.source})) continue;
    return unsupported("a launch reads what one before it has updated");
  }
  for (std::uint32_t a = 0; a < launch.accesses.size(); ++a) {
    const PlanBuffer& buffer = buffer_of(launch, a);
    if (kernel.accesses[a].store && is_kept(buffer)) updated_.insert({buffer.kind, buffer.source});
  }
  return {};
}

Result<std::vector<BatchUpdate>> BatchUpdates::of(const Launch& launch, const LaunchZeros& zeros) {
  VECC_TRY_VOID(check_order(launch));
  const Kernel& kernel = plan_.kernels[launch.kernel];
  std::vector<BatchUpdate> updates;
  std::set<std::uint32_t> groups;
  for (const KernelStore& store : kernel.stores) {
    const PlanBuffer& buffer = buffer_of(launch, store.access);
    if (!is_kept(buffer)) continue;
    BatchUpdate update{store.access, group_of(buffer), {}};
    update.sources = zero_sources(kernel, zeros, store.value);
    if (update.group != kNone && !update.sources.empty()) has_source_[update.group] = true;
    groups.insert(update.group);
    updates.push_back(std::move(update));
  }
  if (lists_touched_ && groups.size() > 1 && launch.rows > 1) {
    return unsupported("a launch updates several parameters, each in rows of its own");
  }
  return updates;
}

Result<void> BatchUpdates::check_sources() const {
  if (std::ranges::find(has_source_, false) == has_source_.end()) return {};
  return unsupported("a gradient that is not 0 without samples");
}

}  // namespace vecc
