// Which launches of a graph a GPU begins first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vecc::cuda {

/// What a launch takes by itself.
struct LaunchLoad {
  double microseconds = 0;  ///< predicted
  bool is_small = false;    ///< no more blocks than a GPU has processors
};

/// By launch, as CUDA has them: blocks of those with the smallest number first. Where launches run
/// beside one another, what others wait for goes before results that nobody waits for (but for one
/// more launch, which joins their pieces) and that can wait themselves: gradients of parameters,
/// mostly. Small ones go before large ones, which would keep them and all behind them waiting.
/// `before`: by launch, those that it waits for, all of them earlier.
[[nodiscard]] std::vector<int> launch_priorities(std::span<const std::vector<std::uint32_t>> before,
                                                 std::span<const LaunchLoad> loads);

}  // namespace vecc::cuda
