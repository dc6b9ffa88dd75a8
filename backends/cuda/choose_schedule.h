// Which schedule a Plan gets.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "backends/cuda/device_code.h"
#include "backends/cuda/schedule.h"
#include "backends/cuda/walk_launch.h"
#include "vecc/backend.h"

namespace vecc::cuda {

/// One launch for each stage, and its blocks; none: a CUDA graph. `launch`: what is asked for;
/// Auto: what $VECC_CUDA_LAUNCH says (graph, grid, cluster, or with a number of blocks: grid:64),
/// or else what takes least time. Errors: Usage (that variable),
/// BackendUnsupported (a cluster on a GPU before compute capability 9.0).
[[nodiscard]] Result<std::optional<WalkShape>> choose_walk(const Plan& plan,
                                                           std::span<const StageLaunches> stages,
                                                           CudaLaunch launch, const Device& device);

/// The schedule, loaded. Errors: those of choose_walk(), GraphSchedule::load() and
/// WalkSchedule::load(). Throws DeviceError.
[[nodiscard]] Result<std::unique_ptr<Schedule>> load_schedule(std::shared_ptr<Device> device,
                                                              const Plan& plan, CudaLaunch launch,
                                                              const DeviceCodeOptions& options,
                                                              DeviceCodeCounts* counts);

}  // namespace vecc::cuda
