#include "backends/cuda/choose_schedule.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "backends/cuda/asked_launch.h"
#include "backends/cuda/graph_schedule.h"
#include "backends/cuda/predict_times.h"
#include "backends/cuda/walk_schedule.h"

namespace vecc::cuda {
namespace {

// Of the time of a graph: a Program that was arranged in parts is run in parts.
constexpr double kArrangedWorth = 1.15;

// By launch of all stages; empty if there is too much to look at.
std::vector<LaunchPhase> find_all_phases(const Plan& plan, std::span<const StageLaunches> stages,
                                         std::uint32_t blocks, double* time) {
  std::vector<LaunchPhase> all;
  for (const StageLaunches& stage : stages) {
    if (stage.levels.empty()) continue;
    auto phases = find_phases(plan, stage, blocks);
    if (!phases) return {};
    *time += predict_phases(plan, stage, *phases, blocks);
    std::ranges::move(*phases, std::back_inserter(all));
  }
  return all;
}

}  // namespace

Result<WalkChoice> choose_walk(const Plan& plan, CudaLaunch launch, bool arranged,
                               const Device& device) {
  VECC_TRY(const AskedLaunch asked, asked_launch(launch));
  const auto blocks = [&](std::uint32_t all) { return asked.blocks == 0 ? all : asked.blocks; };
  WalkChoice choice;
  choice.stages = list_stages(plan);
  const std::vector<StageLaunches>& stages = choice.stages;
  const auto walk = [&](CudaLaunch kind, std::uint32_t count) { choice.shape = {kind, count}; };
  double parts_time = 0;
  if (asked.launch == CudaLaunch::Parts || (asked.launch == CudaLaunch::Auto && arranged)) {
    choice.phases = find_all_phases(plan, stages, blocks(device.multiprocessors()), &parts_time);
  }
  const PredictedTimes times = predict_times(plan, stages);
  spdlog::debug("cuda: {} launches take {:.1f} us as a graph, {:.1f} in a grid, {:.1f} in parts",
                plan.launches.size(), times.graph, times.grid, parts_time);
  switch (asked.launch) {
    case CudaLaunch::Graph: break;
    case CudaLaunch::Auto: {
      const bool in_parts =
          !choice.phases.empty() && parts_time < kArrangedWorth * std::min(times.graph, times.grid);
      if (!in_parts) choice.phases.clear();
      if (in_parts) walk(CudaLaunch::Parts, device.multiprocessors());
      if (!in_parts && times.grid < times.graph) walk(CudaLaunch::Grid, device.multiprocessors());
      break;
    }
    case CudaLaunch::Parts:
    case CudaLaunch::Grid: walk(asked.launch, blocks(device.multiprocessors())); break;
    case CudaLaunch::Cluster:
      if (device.capability() < kHopper) {
        return Errors(ErrorCode::BackendUnsupported, device.name(),
                      "clusters of blocks need compute capability 9.0, found " +
                          capability_text(device.capability()) +
                          "; --cuda-launch=grid runs everything in one launch, too");
      }
      walk(asked.launch, blocks(kLargestCluster));
  }
  return choice;
}

Result<std::unique_ptr<Schedule>> load_schedule(std::shared_ptr<Device> device, Plan& plan,
                                                WalkChoice walk, const DeviceCodeOptions& options,
                                                DeviceCodeCounts* counts) {
  if (!walk.shape || plan.launches.empty()) {
    return GraphSchedule::load(std::move(device), plan, walk.stages, options, counts);
  }
  for (std::size_t l = 0; l < walk.phases.size(); ++l) {
    order_by_block(plan, plan.launches[l], walk.phases[l]);
  }
  return WalkSchedule::load(std::move(device), plan, std::move(walk.stages), *walk.shape,
                            std::move(walk.phases), options, counts);
}

}  // namespace vecc::cuda
