#include "src/emit/cuda/runtime/launch_graph.h"

#include "src/emit/cuda/runtime/block_table.h"

namespace vecc::emitted {
namespace {

constexpr const char* kPreparing = "preparing a run";

cudaGraphNode_t add_node(cudaGraph_t graph, const BoundLaunch& launch,
                         std::span<const cudaGraphNode_t> before) {
  cudaGraphNode_t node = nullptr;
  if (launch.block_count == 0) {  // of no rows
    check(cudaGraphAddEmptyNode(&node, graph, before.data(), before.size()), kPreparing);
    return node;
  }
  const void* blocks = launch.blocks;
  void* parameters[] = {const_cast<std::byte*>(launch.arguments.data()), &blocks};
  cudaKernelNodeParams kernel{};
  kernel.func = const_cast<void*>(launch.function);
  kernel.gridDim = dim3(launch.block_count, 1, 1);
  kernel.blockDim = dim3(kBlockThreads, 1, 1);
  kernel.kernelParams = parameters;
  check(cudaGraphAddKernelNode(&node, graph, before.data(), before.size(), &kernel), kPreparing);
  return node;
}

}  // namespace

LaunchGraph::LaunchGraph(const Device& device, std::span<const BoundLaunch> launches)
    : device_(device) {
  check(cudaGraphCreate(&graph_, 0), kPreparing);
  add_nodes(launches);
  check(cudaGraphInstantiateWithFlags(&executable_, graph_, 0), kPreparing);
}

LaunchGraph::~LaunchGraph() {
  if (executable_ != nullptr) (void)cudaGraphExecDestroy(executable_);
  if (graph_ != nullptr) (void)cudaGraphDestroy(graph_);
}

void LaunchGraph::add_nodes(std::span<const BoundLaunch> launches) {
  std::vector<cudaGraphNode_t> nodes;
  for (const BoundLaunch& launch : launches) {
    std::vector<cudaGraphNode_t> waits_for;
    for (const std::uint32_t other : launch.before) waits_for.push_back(nodes[other]);
    nodes.push_back(add_node(graph_, launch, waits_for));
  }
}

void LaunchGraph::start() const {
  check(cudaGraphLaunch(executable_, device_.stream()), "starting a run");
}

}  // namespace vecc::emitted
