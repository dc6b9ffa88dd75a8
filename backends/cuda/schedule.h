// How the kernels of a Plan are started: a CUDA graph with a launch each (graph_schedule.h), or one
// launch that goes through all of a stage (walk_schedule.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backends/cuda/device_series.h"
#include "vecc/plan.h"

namespace vecc::cuda {

/// run() and differentiate().
inline constexpr std::uint32_t kStages = 2;

/// What a launch of the Plan is started with.
struct LaunchArguments {
  std::vector<std::byte> bytes;  ///< `Bound` of print_cuda()
  bool narrow = false;           ///< its lists have 16 bits an entry
};

/// What throws throws DeviceError.
class Schedule {
 public:
  virtual ~Schedule() = default;
  /// Once, before anything is started: by launch.
  virtual void bind(const Plan& plan, std::vector<LaunchArguments> arguments) = 0;
  /// All launches of a stage. Does not wait.
  virtual void start(std::uint32_t stage) = 0;
  /// Those of stage 0 as often as the series says. Does not wait.
  virtual void start_series(const DeviceSeries& series) = 0;
  /// One launch alone, to time it.
  virtual void start_alone(std::uint32_t launch) = 0;
  /// What it holds on the device beside code.
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
};

/// The launches of a stage, in the Plan's order.
struct StageLaunches {
  std::uint32_t first = 0;                         ///< of the Plan's
  std::vector<std::vector<std::uint32_t>> before;  ///< by launch what it waits for, from `first` on
  std::vector<std::uint32_t> levels;               ///< by launch: levels_of(before)
};
/// By stage.
[[nodiscard]] std::vector<StageLaunches> list_stages(const Plan& plan);

}  // namespace vecc::cuda
