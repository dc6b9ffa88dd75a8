// Which schedule a Plan gets.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backends/cuda/asked_launch.h"
#include "backends/cuda/device_code.h"
#include "backends/cuda/schedule.h"
#include "backends/cuda/schedule_coefficients.h"
#include "backends/cuda/walk_launch.h"
#include "backends/cuda/walk_phases.h"
#include "vecc/backend.h"

namespace vecc::cuda {

/// By which a schedule is chosen on a device: what schedule_coefficients_of() has if that is left
/// open; else the defaults, which nobody will look at.
[[nodiscard]] ScheduleCoefficients coefficients_for(const AskedLaunch& asked, const Device& device);

struct WalkChoice {
  std::vector<StageLaunches> stages;
  std::optional<WalkShape> shape;   ///< one launch for each stage; none: a CUDA graph
  std::vector<LaunchPhase> phases;  ///< by launch of all stages, for Parts
};

/// `asked` Auto: what takes least time by `coefficients`, which else nobody looks at. `arranged`:
/// as in ExecutionOptions. Error: BackendUnsupported (a cluster on a GPU before compute capability
/// 9.0).
[[nodiscard]] Result<WalkChoice> choose_walk(const Plan& plan, const AskedLaunch& asked,
                                             bool arranged, const Device& device,
                                             const ScheduleCoefficients& coefficients);

/// The schedule, loaded; it may put launches' rows into another order. Errors: those of
/// GraphSchedule::load() and WalkSchedule::load(). Throws DeviceError.
[[nodiscard]] Result<std::unique_ptr<Schedule>> load_schedule(std::shared_ptr<Device> device,
                                                              Plan& plan, WalkChoice walk,
                                                              const DeviceCodeOptions& options,
                                                              DeviceCodeCounts* counts);

}  // namespace vecc::cuda
