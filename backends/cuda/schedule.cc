#include "backends/cuda/schedule.h"

#include "src/plan/dependencies.h"

namespace vecc::cuda {

std::vector<std::vector<std::uint32_t>> stage_dependencies(const Plan& plan, std::uint32_t stage) {
  const auto [first, last] = launches_of(plan, stage);
  const auto all = launch_dependencies(plan);
  std::vector<std::vector<std::uint32_t>> before(all.begin() + first, all.begin() + last);
  for (auto& launches : before) {
    for (std::uint32_t& launch : launches) launch -= first;
  }
  return before;
}

}  // namespace vecc::cuda
