// A Plan's launches as nodes of CUDA graphs, or one after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backends/cuda/device_unit.h"
#include "backends/cuda/launch_way.h"
#include "src/plan/launch_layout.h"
#include "vecc/plan.h"
#include "vecc/short_list.h"

namespace vecc::cuda {

/// run() and differentiate(): a graph each.
inline constexpr std::uint32_t kStages = 2;

/// Launches of one kernel, by the same schedule, in one level of a stage (what waits for one of
/// them is in a later level): the GPU launches them as one.
struct GraphNode {
  ShortList launches;  ///< of the Plan, rising
  std::shared_ptr<const KernelSchedule> schedule;
  std::vector<BlockRows> blocks;
  ShortList first_blocks;             ///< by launch; then how many blocks there are
  std::vector<std::uint32_t> before;  ///< of a graph: nodes that it waits for, earlier ones
  bool narrow = false;                ///< its lists have 16 bits an entry
  Cycles cycles;                      ///< of all launches, by the model of their loops
  ProgrammaticLaunch programmatic;    ///< where nodes start early
  int priority = 0;                   ///< likewise
};

/// By stage, in the order in which nodes are added to its graph, or started: what a node waits for
/// stands before it. `starts_early`: those of a graph are ordered, and wait, as plan_early_start()
/// says. `typical`: of launches that run batch by batch, as LaunchSchedules takes them.
[[nodiscard]] std::vector<std::vector<GraphNode>> make_graph_nodes(
    const Plan& plan, LaunchWay way, bool starts_early, std::span<const RowSizes> typical = {});

}  // namespace vecc::cuda
