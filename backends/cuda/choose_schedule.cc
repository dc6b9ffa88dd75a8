#include "backends/cuda/choose_schedule.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <set>
#include <string_view>
#include <utility>

#include "backends/cuda/graph_schedule.h"
#include "backends/cuda/walk_schedule.h"
#include "vecc/escape.h"

namespace vecc::cuda {
namespace {

// Microseconds, measured on an H200: a level of a graph and of a walk (its barrier and what its
// blocks fetch before they compute), each further node of a level, and a unit of work that blocks
// of a walk, of which fewer are at hand, take longer for.
constexpr double kGraphLevel = 2.0;
constexpr double kGraphNode = 0.75;
constexpr double kWalkLevel = 2.7;
constexpr double kWalkWork = 6e-6;

// Whether a stage in one launch takes less time than as a graph.
bool is_walk_faster(const Plan& plan, std::span<const StageLaunches> stages) {
  double graph = 0;
  double walk = 0;
  for (const StageLaunches& stage : stages) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> nodes;  // by level and kernel
    std::uint32_t depth = 0;
    for (std::uint32_t l = 0; l < stage.levels.size(); ++l) {
      const Launch& launch = plan.launches[stage.first + l];
      nodes.emplace(stage.levels[l], launch.kernel);
      depth = std::max(depth, stage.levels[l] + 1);
      walk += kWalkWork * static_cast<double>(launch.work);
    }
    graph += kGraphLevel * depth + kGraphNode * static_cast<double>(nodes.size() - depth);
    walk += kWalkLevel * depth;
  }
  return walk < graph;
}

struct Asked {
  CudaLaunch launch = CudaLaunch::Auto;
  std::uint32_t blocks = 0;  // 0: any number
};

Result<Asked> asked_by_environment() {
  const char* const variable = std::getenv("VECC_CUDA_LAUNCH");
  if (variable == nullptr || *variable == '\0') return Asked{};
  const std::string_view text = variable;
  const std::size_t colon = text.find(':');
  const auto launch = parse_cuda_launch(text.substr(0, colon));
  std::uint32_t blocks = 0;
  bool counts = true;
  if (colon != std::string_view::npos) {
    const char* const end = text.data() + text.size();
    const auto [last, error] = std::from_chars(text.data() + colon + 1, end, blocks);
    counts = error == std::errc() && last == end && blocks > 0;
  }
  if (launch && counts) return Asked{*launch, blocks};
  return Errors(ErrorCode::Usage, "VECC_CUDA_LAUNCH",
                "\"" + escape_terminal(text) +
                    "\", expected auto, graph, grid or cluster, or grid:N, cluster:N");
}

}  // namespace

Result<std::optional<WalkShape>> choose_walk(const Plan& plan,
                                             std::span<const StageLaunches> stages,
                                             CudaLaunch launch, const Device& device) {
  Asked asked{launch, 0};
  if (launch == CudaLaunch::Auto) {
    VECC_TRY(asked, asked_by_environment());
  }
  const auto blocks = [&](std::uint32_t all) { return asked.blocks == 0 ? all : asked.blocks; };
  switch (asked.launch) {
    case CudaLaunch::Graph: break;
    case CudaLaunch::Auto:
      if (!is_walk_faster(plan, stages)) break;
      return WalkShape{CudaLaunch::Grid, device.multiprocessors()};
    case CudaLaunch::Grid: return WalkShape{asked.launch, blocks(device.multiprocessors())};
    case CudaLaunch::Cluster:
      if (device.capability() < kHopper) {
        return Errors(ErrorCode::BackendUnsupported, device.name(),
                      "clusters of blocks need compute capability 9.0, found " +
                          capability_text(device.capability()) +
                          "; --cuda-launch=grid runs everything in one launch, too");
      }
      return WalkShape{asked.launch, blocks(kLargestCluster)};
  }
  return std::optional<WalkShape>();
}

Result<std::unique_ptr<Schedule>> load_schedule(std::shared_ptr<Device> device, const Plan& plan,
                                                CudaLaunch launch, const DeviceCodeOptions& options,
                                                DeviceCodeCounts* counts) {
  std::vector<StageLaunches> stages = list_stages(plan);
  VECC_TRY(const auto walk, choose_walk(plan, stages, launch, *device));
  if (walk && !plan.launches.empty()) {
    return WalkSchedule::load(std::move(device), plan, std::move(stages), *walk, options, counts);
  }
  return GraphSchedule::load(std::move(device), plan, stages, options, counts);
}

}  // namespace vecc::cuda
