#include "backends/cuda/order_roots.h"

#include <algorithm>

namespace vecc::cuda {

std::vector<std::uint32_t> order_roots(std::span<const std::vector<std::uint32_t>> before,
                                       const std::vector<bool>& is_small) {
  std::vector<std::uint32_t> needed_by(before.size(), 0);  // the first; 0: by nobody
  for (std::uint32_t launch = 0; launch < before.size(); ++launch) {
    for (const std::uint32_t other : before[launch]) {
      if (needed_by[other] == 0) needed_by[other] = launch;
    }
  }
  std::vector<std::uint32_t> row;
  for (std::uint32_t launch = 0; launch < before.size(); ++launch) {
    if (before[launch].empty() && is_small[launch] && needed_by[launch] > 0) row.push_back(launch);
  }
  if (row.size() < 2) return {};
  std::ranges::stable_sort(row, std::ranges::greater(),
                           [&](std::uint32_t launch) { return needed_by[launch]; });
  return row;
}

}  // namespace vecc::cuda
