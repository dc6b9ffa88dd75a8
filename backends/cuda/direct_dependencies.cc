#include "backends/cuda/direct_dependencies.h"

#include <algorithm>

namespace vecc::cuda {

std::vector<std::vector<std::uint32_t>> direct_dependencies(
    std::span<const std::vector<std::uint32_t>> before) {
  std::vector<std::vector<std::uint32_t>> direct(before.size());
  std::vector<std::vector<bool>> ended(before.size());  // by launch: what has ended when it has
  for (std::size_t launch = 0; launch < before.size(); ++launch) {
    std::vector<std::uint32_t> others = before[launch];
    std::ranges::sort(others, std::ranges::greater());
    ended[launch].resize(launch + 1);
    ended[launch][launch] = true;
    for (const std::uint32_t other : others) {  // what one waits for comes after it
      if (ended[launch][other]) continue;
      direct[launch].push_back(other);
      for (std::size_t l = 0; l <= other; ++l) {
        if (ended[other][l]) ended[launch][l] = true;
      }
    }
  }
  return direct;
}

}  // namespace vecc::cuda
