// Which rows one block can compute without waiting for another: a stage in phases. Blocks wait for
// one another between phases; within a phase what is computed from one another is one block's.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backends/cuda/schedule.h"
#include "vecc/plan.h"

namespace vecc::cuda {

/// Of a launch.
struct LaunchPhase {
  std::uint32_t phase = 0;
  std::uint32_t level = 0;            ///< in its phase, after those that it waits for
  std::vector<std::uint32_t> blocks;  ///< by row, in the launch's order
};

/// By launch of the stage. Rows whose numbers are read, or overwritten, in the same phase by others
/// are the same block's, number by number: the Plan's own indices tell. A launch whose rows join
/// what would be too much for one block begins another phase. None if there is too much to look at
/// (the stage is then not small).
[[nodiscard]] std::optional<std::vector<LaunchPhase>> find_phases(const Plan& plan,
                                                                  const StageLaunches& stage,
                                                                  std::uint32_t blocks);

/// Puts a launch's rows in an order in which each block's follow one another, as far as its kernel
/// takes its rows in any order, and `phase.blocks` likewise.
void order_by_block(Plan& plan, Launch& launch, LaunchPhase& phase);

}  // namespace vecc::cuda
