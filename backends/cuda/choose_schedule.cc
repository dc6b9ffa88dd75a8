#include "backends/cuda/choose_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "backends/cuda/graph_schedule.h"
#include "backends/cuda/predict_times.h"
#include "backends/cuda/walk_schedule.h"
#include "src/support/log.h"

namespace vecc::cuda {
namespace {

// Of the time of a graph: a Program that was arranged in parts is run in parts.
constexpr double kArrangedWorth = 1.15;

// By launch of all stages; empty if there is too much to look at.
std::vector<LaunchPhase> find_all_phases(const Plan& plan, std::span<const StageLaunches> stages,
                                         std::uint32_t blocks) {
  std::vector<LaunchPhase> all;
  for (const StageLaunches& stage : stages) {
    if (stage.levels.empty()) continue;
    auto phases = find_phases(plan, stage, blocks);
    if (!phases) return {};
    std::ranges::move(*phases, std::back_inserter(all));
  }
  return all;
}

// What takes least time; phases are there if it may be parts.
CudaLaunch choose_launch(const Plan& plan, const WalkChoice& choice, std::uint32_t blocks,
                         const ScheduleCoefficients& coefficients) {
  const double graph = predict_time(count_graph(plan, choice.stages), coefficients);
  const double grid = predict_time(count_grid(plan, choice.stages), coefficients);
  double parts = std::numeric_limits<double>::infinity();
  if (!choice.phases.empty()) {
    parts = predict_time(count_parts(plan, choice.stages, choice.phases, blocks), coefficients);
  }
  log_debug(
      fmt::format("cuda: {} launches take {:.1f} us as a graph, {:.1f} in a grid, {:.1f} in parts",
                  plan.launches.size(), graph, grid, parts));
  if (parts < kArrangedWorth * std::min(graph, grid)) return CudaLaunch::Parts;
  return grid < graph ? CudaLaunch::Grid : CudaLaunch::Graph;
}

}  // namespace

ScheduleCoefficients coefficients_for(const AskedLaunch& asked, const Device& device) {
  if (asked.launch != CudaLaunch::Auto) return device.target().schedules;
  const DeviceCoefficients& found = schedule_coefficients_of(device.name(), device.target());
  log_debug(fmt::format("cuda: the schedule is chosen by {} coefficients",
                        found.is_calibrated ? "calibrated" : "default"));
  return found.coefficients;
}

Result<WalkChoice> choose_walk(const Plan& plan, const AskedLaunch& asked, bool arranged,
                               const Device& device, const ScheduleCoefficients& coefficients) {
  const std::uint32_t processors = device.multiprocessors();
  const std::uint32_t blocks =
      asked.blocks == 0 ? processors : std::min(asked.blocks, kBlocksOfMultiprocessor * processors);
  CudaLaunch launch = asked.launch;
  WalkChoice choice;
  choice.stages = list_stages(plan);
  if (launch == CudaLaunch::Parts || (launch == CudaLaunch::Auto && arranged)) {
    choice.phases = find_all_phases(plan, choice.stages, blocks);
  }
  if (launch == CudaLaunch::Auto) {
    launch = choose_launch(plan, choice, blocks, coefficients);
  }
  if (launch != CudaLaunch::Parts) choice.phases.clear();
  switch (launch) {
    case CudaLaunch::Auto:
    case CudaLaunch::Graph: break;
    case CudaLaunch::Parts:
    case CudaLaunch::Grid: choice.shape = {launch, blocks}; break;
    case CudaLaunch::Cluster:
      if (device.target().cluster_blocks() == 0) {
        return Errors(ErrorCode::BackendUnsupported, device.name(),
                      "clusters of blocks need compute capability 9.0, found " +
                          capability_text(device.target().capability) +
                          "; --cuda-launch=grid runs everything in one launch, too");
      }
      choice.shape = {launch, asked.blocks == 0
                                  ? device.target().cluster_blocks()
                                  : std::min(asked.blocks, device.target().cluster_blocks())};
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
