// How the kernels of a Plan are started: a CUDA graph with a launch each (graph_schedule.h), or one
// launch that goes through all of a stage (walk_schedule.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
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

/// The launches of a stage: first, and behind the last.
[[nodiscard]] inline std::pair<std::uint32_t, std::uint32_t> launches_of(const Plan& plan,
                                                                         std::uint32_t stage) {
  std::uint32_t first = 0;
  while (first < plan.launches.size() && plan.launches[first].stage < stage) ++first;
  std::uint32_t last = first;
  while (last < plan.launches.size() && plan.launches[last].stage == stage) ++last;
  return {first, last};
}

/// What each launch of a stage waits for, counted from the stage's first.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> stage_dependencies(const Plan& plan,
                                                                         std::uint32_t stage);

}  // namespace vecc::cuda
