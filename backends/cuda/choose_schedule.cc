#include "backends/cuda/choose_schedule.h"

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "backends/cuda/graph_schedule.h"
#include "backends/cuda/walk_schedule.h"
#include "vecc/escape.h"

namespace vecc::cuda {

namespace {

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
  (void)plan;
  Asked asked{launch, 0};
  if (launch == CudaLaunch::Auto) {
    VECC_TRY(asked, asked_by_environment());
  }
  const auto blocks = [&](std::uint32_t all) { return asked.blocks == 0 ? all : asked.blocks; };
  switch (asked.launch) {
    case CudaLaunch::Graph:
    case CudaLaunch::Auto: break;
    case CudaLaunch::Grid: return WalkShape{asked.launch, blocks(device.multiprocessors())};
    case CudaLaunch::Cluster: return WalkShape{asked.launch, blocks(kLargestCluster)};
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
