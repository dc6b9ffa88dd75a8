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

constexpr int kClusterCapability = 90;

// Whether a stage in one launch takes less time than as a graph.
bool is_walk_faster(const Plan& plan) {
  double graph = 0;
  double walk = 0;
  for (const std::uint32_t stage : {0u, 1u}) {
    const auto levels = levels_of(stage_dependencies(plan, stage));
    const std::uint32_t first = launches_of(plan, stage).first;
    std::set<std::pair<std::uint32_t, std::uint32_t>> nodes;  // by level and kernel
    std::uint32_t depth = 0;
    for (std::uint32_t l = 0; l < levels.size(); ++l) {
      const Launch& launch = plan.launches[first + l];
      nodes.emplace(levels[l], launch.kernel);
      depth = std::max(depth, levels[l] + 1);
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

Result<std::optional<WalkShape>> choose_walk(const Plan& plan, CudaLaunch launch,
                                             const Device& device) {
  Asked asked{launch, 0};
  if (launch == CudaLaunch::Auto) {
    VECC_TRY(asked, asked_by_environment());
  }
  const auto blocks = [&](std::uint32_t all) { return asked.blocks == 0 ? all : asked.blocks; };
  switch (asked.launch) {
    case CudaLaunch::Graph: break;
    case CudaLaunch::Auto:
      if (!is_walk_faster(plan)) break;
      return WalkShape{CudaLaunch::Grid, device.multiprocessors()};
    case CudaLaunch::Grid: return WalkShape{asked.launch, blocks(device.multiprocessors())};
    case CudaLaunch::Cluster:
      if (device.capability() < kClusterCapability) {
        return Errors(ErrorCode::BackendUnsupported, device.name(),
                      "clusters of blocks need compute capability 9.0, found " +
                          std::to_string(device.capability() / 10) + "." +
                          std::to_string(device.capability() % 10) +
                          "; --cuda-launch=grid runs everything in one launch, too");
      }
      return WalkShape{asked.launch, blocks(kLargestCluster)};
  }
  return std::optional<WalkShape>();
}

Result<std::unique_ptr<Schedule>> load_schedule(std::shared_ptr<Device> device, const Plan& plan,
                                                CudaLaunch launch, const DeviceCodeOptions& options,
                                                DeviceCodeCounts* counts) {
  VECC_TRY(const auto walk, choose_walk(plan, launch, *device));
  if (walk && !plan.launches.empty()) {
    return WalkSchedule::load(std::move(device), plan, *walk, options, counts);
  }
  return GraphSchedule::load(std::move(device), plan, options, counts);
}

}  // namespace vecc::cuda
