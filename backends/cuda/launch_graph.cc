#include "backends/cuda/launch_graph.h"

#include <algorithm>
#include <utility>

#include "backends/cuda/direct_dependencies.h"

namespace vecc::cuda {
namespace {

// Of one launch: pointers to its two parameters, which the driver copies.
class LaunchParameters {
 public:
  explicit LaunchParameters(const BoundLaunch& launch)
      : blocks_(launch.blocks),
        pointers_{const_cast<std::byte*>(launch.arguments.data()), &blocks_} {}
  LaunchParameters(const LaunchParameters&) = delete;
  LaunchParameters& operator=(const LaunchParameters&) = delete;
  [[nodiscard]] void** pointers() { return pointers_; }

 private:
  CUdeviceptr blocks_;
  void* pointers_[2];
};

CUgraphNode add_node(const Device& device, CUgraph graph, const BoundLaunch& launch,
                     std::span<const CUgraphNode> before) {
  LaunchParameters parameters(launch);
  CUkernelNodeParams node{};
  node.function = launch.function;
  node.grid_x = launch.block_count;
  node.grid_y = node.grid_z = node.block_y = node.block_z = 1;
  node.block_x = launch.threads;
  node.parameters = parameters.pointers();
  const bool early = starts_early(device);
  const bool waits_early = early && !launch.starts_late;
  CUgraphNode added = nullptr;
  device.check(device.driver().graph_add_kernel(&added, graph, before.data(),
                                                waits_early ? 0 : before.size(), &node),
               "preparing a run");
  if (!early) return added;
  CUlaunchAttributeValue value{};
  value.priority = launch.priority;
  device.check(device.driver().graph_set_attribute(added, kPriority, &value), "preparing a run");
  if (before.empty() || !waits_early) return added;
  const std::vector<CUgraphNode> to(before.size(), added);
  const std::vector<CUgraphEdgeData> edges(before.size(),
                                           {kProgrammaticPort, 0, kProgrammatic, {}});
  device.check(
      device.driver().graph_add_edges(graph, before.data(), to.data(), edges.data(), edges.size()),
      "preparing a run");
  return added;
}

// What launches from `first` on wait for among themselves, counted from there.
std::vector<std::vector<std::uint32_t>> waits_within(
    std::span<const std::vector<std::uint32_t>> before, std::size_t first) {
  std::vector<std::vector<std::uint32_t>> waits(before.size());
  for (std::size_t l = 0; l < before.size(); ++l) {
    for (const std::uint32_t other : before[l]) {
      if (other >= first) waits[l].push_back(static_cast<std::uint32_t>(other - first));
    }
  }
  return waits;
}

}  // namespace

bool starts_early(const Device& device) {
  return device.target().starts_early() && device.driver().graph_add_edges != nullptr;
}

void start_launch(const Device& device, const BoundLaunch& launch, CUstream stream) {
  LaunchParameters parameters(launch);
  device.check(
      device.driver().launch_kernel(launch.function, launch.block_count, 1, 1, launch.threads, 1, 1,
                                    0, stream, parameters.pointers(), nullptr),
      "starting a kernel");
}

LaunchGraph::LaunchGraph(std::shared_ptr<Device> device,
                         std::span<const BoundLaunch* const> launches,
                         std::span<const std::vector<std::uint32_t>> before)
    : LaunchGraph(std::move(device)) {  // made: what was added goes with it if more fails
  const std::size_t most = device_->target().launches.graph_nodes;
  for (std::size_t first = 0; first < launches.size(); first += most) {
    const std::size_t count = std::min(most, launches.size() - first);
    add_graph(launches.subspan(first, count), before.subspan(first, count), first);
  }
}

// `first`: what the launches' numbers in `before` are counted from; those before it ran earlier.
void LaunchGraph::add_graph(std::span<const BoundLaunch* const> launches,
                            std::span<const std::vector<std::uint32_t>> before, std::size_t first) {
  const Driver& driver = device_->driver();
  CUgraph graph = nullptr;
  device_->check(driver.graph_create(&graph, 0), "preparing a run");
  try {
    std::vector<CUgraphNode> nodes;
    for (const auto& direct : direct_dependencies(waits_within(before, first))) {
      std::vector<CUgraphNode> waits_for;
      for (const std::uint32_t other : direct) waits_for.push_back(nodes[other]);
      nodes.push_back(add_node(*device_, graph, *launches[nodes.size()], waits_for));
    }
    graphs_.emplace_back();
    const unsigned long long flags = starts_early(*device_) ? kUseNodePriority : 0;
    device_->check(driver.graph_instantiate(&graphs_.back(), graph, flags), "preparing a run");
  } catch (const DeviceError&) {
    (void)driver.graph_destroy(graph);
    throw;
  }
  (void)driver.graph_destroy(graph);
}

LaunchGraph::~LaunchGraph() {
  for (CUgraphExec graph : graphs_) {
    if (graph != nullptr) (void)device_->driver().graph_exec_destroy(graph);
  }
}

void LaunchGraph::start(CUstream stream) const {
  for (CUgraphExec graph : graphs_) {
    device_->check(device_->driver().graph_launch(graph, stream), "starting a run");
  }
}

}  // namespace vecc::cuda
