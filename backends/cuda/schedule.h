// The launches of a Plan by stage, and what each is started with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vecc/plan.h"

namespace vecc::cuda {

/// run() and differentiate().
inline constexpr std::uint32_t kStages = 2;

/// What a launch of the Plan is started with.
struct LaunchArguments {
  std::vector<std::byte> bytes;  ///< `Bound` of print_cuda()
  bool narrow = false;           ///< its lists have 16 bits an entry
};

/// The launches of a stage, in the Plan's order.
struct StageLaunches {
  std::uint32_t first = 0;                         ///< of the Plan's
  std::vector<std::vector<std::uint32_t>> before;  ///< by launch what it waits for, from `first` on
  std::vector<std::uint32_t> levels;  ///< by launch: 0, or one more than the last that it waits for
};
/// By stage.
[[nodiscard]] std::vector<StageLaunches> list_stages(const Plan& plan);

}  // namespace vecc::cuda
