#include "backends/cuda/launch_priorities.h"

#include <algorithm>

namespace vecc::cuda {
namespace {

// Hopper has 0 to -5.
constexpr int kResult = 0;
constexpr int kSmallResult = -1;
constexpr int kWaitedFor = -2;
constexpr int kSmallWaitedFor = -3;

}  // namespace

std::vector<int> launch_priorities(std::span<const std::vector<std::uint32_t>> before,
                                   std::span<const LaunchLoad> loads) {
  constexpr double kCanWait = 0.01;                  // of the time of the longest chain
  std::vector<double> start(before.size(), 0);       // if launches had a GPU each
  std::vector<double> left(before.size(), 0);        // from its start to the end of all behind it
  std::vector<std::uint32_t> height(before.size());  // launches behind it, one after another
  for (std::size_t l = 0; l < before.size(); ++l) {
    for (const std::uint32_t other : before[l]) {
      start[l] = std::max(start[l], start[other] + loads[other].microseconds);
    }
  }
  double all = 0;
  for (std::size_t l = before.size(); l-- > 0;) {
    left[l] += loads[l].microseconds;
    all = std::max(all, start[l] + left[l]);
    for (const std::uint32_t other : before[l]) {
      left[other] = std::max(left[other], left[l]);
      height[other] = std::max(height[other], height[l] + 1);
    }
  }
  std::vector<int> priorities;
  for (std::size_t l = 0; l < before.size(); ++l) {
    const bool is_result = height[l] <= 1 && all - start[l] - left[l] >= kCanWait * all;
    if (is_result) {
      priorities.push_back(loads[l].is_small ? kSmallResult : kResult);
    } else {
      priorities.push_back(loads[l].is_small ? kSmallWaitedFor : kWaitedFor);
    }
  }
  return priorities;
}

}  // namespace vecc::cuda
