// Which schedule a Plan gets.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backends/cuda/device_code.h"
#include "backends/cuda/schedule.h"
#include "backends/cuda/walk_launch.h"
#include "backends/cuda/walk_phases.h"
#include "vecc/backend.h"

namespace vecc::cuda {

struct WalkChoice {
  std::vector<StageLaunches> stages;
  std::optional<WalkShape> shape;   ///< one launch for each stage; none: a CUDA graph
  std::vector<LaunchPhase> phases;  ///< by launch of all stages, for Parts
};

/// `launch`: what is asked for (asked_launch.h); Auto: what takes least time. `arranged`: as in
/// ExecutionOptions. Errors: those of asked_launch(), BackendUnsupported (a cluster on a GPU before
/// compute capability 9.0).
[[nodiscard]] Result<WalkChoice> choose_walk(const Plan& plan, CudaLaunch launch, bool arranged,
                                             const Device& device);

/// The schedule, loaded; it may put launches' rows into another order. Errors: those of
/// GraphSchedule::load() and WalkSchedule::load(). Throws DeviceError.
[[nodiscard]] Result<std::unique_ptr<Schedule>> load_schedule(std::shared_ptr<Device> device,
                                                              Plan& plan, WalkChoice walk,
                                                              const DeviceCodeOptions& options,
                                                              DeviceCodeCounts* counts);

}  // namespace vecc::cuda
