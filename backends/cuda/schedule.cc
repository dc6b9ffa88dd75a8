#include "backends/cuda/schedule.h"

#include <algorithm>

#include "src/plan/analysis/dependencies.h"

namespace vecc::cuda {

std::vector<StageLaunches> list_stages(const Plan& plan) {
  const auto before = launch_dependencies(plan);
  std::vector<StageLaunches> stages(kStages);
  std::uint32_t next = 0;
  for (std::uint32_t number = 0; number < kStages; ++number) {
    StageLaunches& stage = stages[number];
    stage.first = next;
    for (; next < before.size() && plan.launches[next].stage == number; ++next) {
      stage.before.push_back(before[next]);
      for (std::uint32_t& launch : stage.before.back()) launch -= stage.first;
    }
    for (const auto& waits : stage.before) {
      std::uint32_t level = 0;
      for (const std::uint32_t launch : waits) level = std::max(level, stage.levels[launch] + 1);
      stage.levels.push_back(level);
    }
  }
  return stages;
}

}  // namespace vecc::cuda
