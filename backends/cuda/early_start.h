// When the kernels of a CUDA graph start, where they may start before those that they wait for have
// ended: programmatic dependent launches (compute capability 9.0), root launches chained, launch
// priorities.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backends/cuda/device_unit.h"
#include "vecc/target.h"

namespace vecc::cuda {

/// What a node of a graph takes by itself.
struct NodeLoad {
  double microseconds = 0;  ///< predicted
  bool is_small = false;    ///< no more blocks than the GPU has multiprocessors
  bool is_short = false;    ///< so few members that it ends soon
};

struct NodeStart {
  std::uint32_t node = 0;             ///< place in the list that was given
  std::vector<std::uint32_t> before;  ///< that it waits for: places in the list that is returned
  ProgrammaticLaunch programmatic;
  int priority = 0;  ///< CUDA's: blocks of the smallest number first
};

/// All nodes, in the order in which they are added to the graph: what a node waits for stands
/// before it, in `before` too.
///
/// Roots chained: small and short nodes that wait for none, and that others wait for, come first,
/// each after the one before it, which it waits for only when it has computed; those that are
/// needed last come first, so that what waits for some of them waits for one. (A kernel starts
/// 0.4 us after the one that it waits for where that is one, 2.5 us after the last where there are
/// several: an H200.)
///
/// Priorities: what others wait for goes before results that no node waits for (but for one more,
/// which joins their pieces) and that can wait themselves: gradients of parameters, mostly. Small
/// ones go before large ones, which would keep them and all behind them waiting.
///
/// Long nodes let those behind them start when their blocks end: blocks that wait take the room of
/// those that could compute, and lie where there was room when they started, not evenly.
[[nodiscard]] std::vector<NodeStart> plan_early_start(
    std::span<const std::vector<std::uint32_t>> before, std::span<const NodeLoad> loads,
    const LaunchTimes& times);

}  // namespace vecc::cuda
