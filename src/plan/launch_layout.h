// How a Plan runs on a GPU: which block has which rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/plan/launch_schedules.h"
#include "vecc/plan.h"

namespace vecc {

/// Whether threads have memory for what kernels keep of their rows. Error: BackendUnsupported, of
/// the longest row, before anything is compiled.
[[nodiscard]] Result<void> check_thread_memory(const Plan& plan);
[[nodiscard]] Result<void> check_thread_memory(const Kernel& kernel);

/// The schedules of a Plan's kernels as text; of a GPU's Plan also what it was made for, and how
/// threads share the rows of each launch.
[[nodiscard]] std::string text_of_layout(const Plan& plan);

/// As `BlockRows` in src/kernel/prelude/lanes.h.
struct BlockRows {
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t type;
  std::uint32_t launch = 0;
};

/// The rows of each block, each within a tile of one type. They depend on the launch alone.
[[nodiscard]] std::vector<BlockRows> cut_blocks(const Plan& plan, const Launch& launch,
                                                const LaunchSchedule& rows);

}  // namespace vecc
