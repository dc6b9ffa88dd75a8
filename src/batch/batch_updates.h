// The updates of a step by the parameters that they belong to: which of them a batch runs.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "src/batch/batch_plan.h"
#include "src/batch/zero_buffers.h"

namespace vecc {

class BatchUpdates {
 public:
  BatchUpdates(const Plan& plan, const Program& program, const BatchOptions& options);

  /// Parameters that updates belong to.
  [[nodiscard]] const std::vector<ParameterIndex>& groups() const { return groups_; }
  /// Of a launch, one after another in the Plan's order: its stores into parameters and states.
  /// Error: BackendUnsupported (see make_batch_plan()).
  [[nodiscard]] Result<std::vector<BatchUpdate>> of(const Launch& launch, const LaunchZeros& zeros);
  /// When all launches were asked for. Error: BackendUnsupported, where a gradient is there without
  /// samples: whether a batch reaches a parameter is known by what its gradient is summed of.
  [[nodiscard]] Result<void> check_sources() const;

 private:
  [[nodiscard]] const PlanBuffer& buffer_of(const Launch& launch, std::uint32_t access) const {
    return plan_.buffers[launch.accesses[access].buffer];
  }
  [[nodiscard]] Result<void> check_order(const Launch& launch);
  [[nodiscard]] std::uint32_t group_of(const PlanBuffer& buffer) const;

  const Plan& plan_;
  const bool lists_touched_;
  std::vector<ParameterIndex> groups_;
  std::vector<bool> has_source_;  // by group
  std::map<ValueId, std::uint32_t> group_of_state_;
  std::set<std::pair<PlanBuffer::Kind, std::uint32_t>> updated_;  // by launches before
};

}  // namespace vecc
