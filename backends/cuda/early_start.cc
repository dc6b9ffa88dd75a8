#include "backends/cuda/early_start.h"

#include <algorithm>

namespace vecc::cuda {
namespace {

using Dependencies = std::span<const std::vector<std::uint32_t>>;

// The roots that are chained, in that order; none if there are fewer than two.
std::vector<std::uint32_t> chained_roots(Dependencies before, std::span<const NodeLoad> loads) {
  std::vector<std::uint32_t> first_reader(before.size(), 0);  // 0: there is none
  for (std::uint32_t node = 0; node < before.size(); ++node) {
    for (const std::uint32_t other : before[node]) {
      if (first_reader[other] == 0) first_reader[other] = node;
    }
  }
  std::vector<std::uint32_t> roots;
  for (std::uint32_t node = 0; node < before.size(); ++node) {
    const bool is_light = loads[node].is_small && loads[node].is_short;
    if (before[node].empty() && is_light && first_reader[node] > 0) roots.push_back(node);
  }
  if (roots.size() < 2) return {};
  std::ranges::stable_sort(roots, std::ranges::greater(),
                           [&](std::uint32_t node) { return first_reader[node]; });
  return roots;
}

// All nodes: the chain, then the others as they were.
std::vector<NodeStart> order_nodes(Dependencies before, std::span<const std::uint32_t> chain) {
  std::vector<std::uint32_t> order(chain.begin(), chain.end());
  std::vector<bool> is_chained(before.size(), false);
  for (const std::uint32_t root : chain) is_chained[root] = true;
  for (std::uint32_t node = 0; node < before.size(); ++node) {
    if (!is_chained[node]) order.push_back(node);
  }
  std::vector<std::uint32_t> place(before.size());
  for (std::uint32_t at = 0; at < order.size(); ++at) place[order[at]] = at;
  std::vector<NodeStart> starts(order.size());
  for (std::uint32_t at = 0; at < order.size(); ++at) {
    NodeStart& start = starts[at];
    start.node = order[at];
    for (const std::uint32_t other : before[order[at]]) start.before.push_back(place[other]);
    start.programmatic.waits_last = at > 0 && at < chain.size();
    if (start.programmatic.waits_last) start.before = {at - 1};
  }
  return starts;
}

// (CUDA's, 0 to -5.)
void set_priorities(std::span<const NodeLoad> loads, const LaunchTimes& times,
                    std::span<NodeStart> starts) {
  constexpr int kResult = 0;
  constexpr int kSmallResult = -1;
  constexpr int kWaitedFor = -2;
  constexpr int kSmallWaitedFor = -3;
  std::vector<double> begin(starts.size(), 0);       // if nodes had a GPU each
  std::vector<double> left(starts.size(), 0);        // from its start to the end of all behind it
  std::vector<std::uint32_t> height(starts.size());  // nodes behind it, one after another
  const auto time_of = [&](std::size_t at) {
    return times.launch + loads[starts[at].node].microseconds;
  };
  for (std::size_t at = 0; at < starts.size(); ++at) {
    for (const std::uint32_t other : starts[at].before) {
      begin[at] = std::max(begin[at], begin[other] + time_of(other));
    }
  }
  double all = 0;
  for (std::size_t at = starts.size(); at-- > 0;) {
    left[at] += time_of(at);
    all = std::max(all, begin[at] + left[at]);
    for (const std::uint32_t other : starts[at].before) {
      left[other] = std::max(left[other], left[at]);
      height[other] = std::max(height[other], height[at] + 1);
    }
  }
  for (std::size_t at = 0; at < starts.size(); ++at) {
    const bool is_result = height[at] <= 1 && all - begin[at] - left[at] >= times.can_wait * all;
    const bool is_small = loads[starts[at].node].is_small;
    if (is_result) {
      starts[at].priority = is_small ? kSmallResult : kResult;
    } else {
      starts[at].priority = is_small ? kSmallWaitedFor : kWaitedFor;
    }
  }
}

}  // namespace

std::vector<NodeStart> plan_early_start(std::span<const std::vector<std::uint32_t>> before,
                                        std::span<const NodeLoad> loads, const LaunchTimes& times) {
  std::vector<NodeStart> starts = order_nodes(before, chained_roots(before, loads));
  for (NodeStart& start : starts) {
    start.programmatic.releases_last = loads[start.node].microseconds > times.long_kernel;
  }
  set_priorities(loads, times, starts);
  return starts;
}

}  // namespace vecc::cuda
