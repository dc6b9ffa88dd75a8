// How long a Plan takes, started in one way or another: what is counted of it, and what that takes.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "backends/cuda/schedule.h"
#include "backends/cuda/schedule_coefficients.h"
#include "backends/cuda/walk_phases.h"
#include "vecc/plan.h"

namespace vecc::cuda {

/// Of all stages, as a CUDA graph.
struct GraphCounts {
  double stages = 0;  ///< that have launches
  double levels = 0;
  double nodes = 0;  ///< beside one a level
  double work = 0;
};
/// In a grid.
struct GridCounts {
  double stages = 0;
  double levels = 0;
  double work = 0;
};
/// In parts. A phase takes as long as its slowest block.
struct PartsCounts {
  struct Block {
    double levels = 0;  ///< in which it has rows
    double steps = 0;   ///< launches of which it has rows, beside one a level
    double work = 0;    ///< its own
  };
  double stages = 0;
  std::vector<std::vector<Block>> phases;  ///< of all stages, by block

  /// Between the phases of a stage.
  [[nodiscard]] double barriers() const { return static_cast<double>(phases.size()) - stages; }
};
using ScheduleCounts = std::variant<GraphCounts, GridCounts, PartsCounts>;

[[nodiscard]] GraphCounts count_graph(const Plan& plan, std::span<const StageLaunches> stages);
[[nodiscard]] GridCounts count_grid(const Plan& plan, std::span<const StageLaunches> stages);
/// `phases`: by launch of all stages.
[[nodiscard]] PartsCounts count_parts(const Plan& plan, std::span<const StageLaunches> stages,
                                      std::span<const LaunchPhase> phases, std::uint32_t blocks);

/// Microseconds.
[[nodiscard]] double predict_time(const ScheduleCounts& counts,
                                  const ScheduleCoefficients& coefficients);
/// Of each phase the block that the others wait for, added up.
[[nodiscard]] PartsCounts::Block slowest_blocks(const PartsCounts& counts,
                                                const ScheduleCoefficients::Parts& coefficients);

}  // namespace vecc::cuda
