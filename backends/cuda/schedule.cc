#include "backends/cuda/schedule.h"

#include "backends/cuda/walk_items.h"
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
    stage.levels = levels_of(stage.before);
  }
  return stages;
}

}  // namespace vecc::cuda
