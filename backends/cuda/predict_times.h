// How long a Plan takes, started in one way or another.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backends/cuda/schedule.h"
#include "backends/cuda/walk_phases.h"
#include "vecc/plan.h"

namespace vecc::cuda {

/// Microseconds of all stages.
struct PredictedTimes {
  double graph = 0;
  double grid = 0;
};
[[nodiscard]] PredictedTimes predict_times(const Plan& plan, std::span<const StageLaunches> stages);

/// Microseconds of a stage in phases.
[[nodiscard]] double predict_phases(const Plan& plan, const StageLaunches& stage,
                                    std::span<const LaunchPhase> phases, std::uint32_t blocks);

}  // namespace vecc::cuda
