// The CUDA runtime on the host: memory is malloc's, a kernel its blocks one after another
// (tests/cuda/emulator), a graph its nodes one after another, the latest that may run first, so
// that a dependency that is missing shows. $EMULATED_GPUS is how many there are (1),
// $EMULATED_MEMORY the free bytes of each.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <queue>
#include <string>
#include <vector>

#include "cuda_runtime_api.h"
#include "tests/cuda/emulator/block.h"

struct EmulatedNode {
  std::size_t number = 0;
  std::vector<std::size_t> before;
  void (*kernel)(const void* arguments, const void* blocks) = nullptr;  // null: nothing to run
  const void* arguments = nullptr;  // a kernel's parameters are of unknown size: not copied
  const void* rows = nullptr;
  unsigned blocks = 0;
  unsigned threads = 0;

  void run() const {
    if (kernel == nullptr) return;
    vecc::emulator::run_blocks(blocks, threads, [this] { kernel(arguments, rows); });
  }
};

struct EmulatedGraph {
  std::vector<EmulatedNode*> nodes;  // never freed: the process is short

  void run() const {
    std::vector<std::vector<std::size_t>> after(nodes.size());
    std::vector<std::size_t> left(nodes.size());
    std::priority_queue<std::size_t> ready;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      left[n] = nodes[n]->before.size();
      for (const std::size_t other : nodes[n]->before) after[other].push_back(n);
      if (left[n] == 0) ready.push(n);
    }
    while (!ready.empty()) {
      const std::size_t next = ready.top();
      ready.pop();
      nodes[next]->run();
      for (const std::size_t other : after[next]) {
        if (--left[other] == 0) ready.push(other);
      }
    }
  }
};

namespace {

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                     std::size_t count) {
  *node = new EmulatedNode;
  (*node)->number = graph->nodes.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (before[i]->number >= graph->nodes.size() || graph->nodes[before[i]->number] != before[i]) {
      return cudaErrorInvalidValue;
    }
    (*node)->before.push_back(before[i]->number);
  }
  graph->nodes.push_back(*node);
  return cudaSuccess;
}

}  // namespace

extern "C" {

const char* cudaGetErrorName(cudaError_t) {
  return "emulatedError";
}
const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorNoDevice ? "there is none" : "an error of the emulator";
}
cudaError_t cudaGetLastError() {
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = static_cast<int>(number_of("EMULATED_GPUS", 1));
  return *count == 0 ? cudaErrorNoDevice : cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) {
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  std::snprintf(properties->name, sizeof properties->name, "emulator");
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  *value = attribute == cudaDevAttrComputeCapabilityMajor ? 9 : 0;
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = *total = number_of("EMULATED_MEMORY", std::uint64_t{8} << 30);
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  if (bytes > number_of("EMULATED_MEMORY", std::uint64_t{8} << 30)) {
    return cudaErrorMemoryAllocation;
  }
  *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (*memory == nullptr) return cudaErrorMemoryAllocation;
  std::memset(*memory, 0xff, bytes);  // not zeros: a program must not count on them
  return cudaSuccess;
}
cudaError_t cudaFree(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t) {
  std::memset(memory, value, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t) {
  if (bytes > 0) std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = nullptr;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  *graph = new EmulatedGraph;
  return cudaSuccess;
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* before, std::size_t count) {
  return add_node(node, graph, before, count);
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* before, std::size_t count,
                                   const cudaKernelNodeParams* parameters) {
  const bool is_valid = parameters->func != nullptr && parameters->gridDim.x > 0 &&
                        parameters->gridDim.y == 1 && parameters->gridDim.z == 1 &&
                        parameters->blockDim.x > 0 && parameters->blockDim.y == 1 &&
                        parameters->blockDim.z == 1 && parameters->sharedMemBytes == 0;
  const cudaError_t added = is_valid ? add_node(node, graph, before, count) : cudaErrorInvalidValue;
  if (added != cudaSuccess) return added;
  EmulatedNode& made = **node;
  made.kernel = reinterpret_cast<decltype(made.kernel)>(parameters->func);
  made.arguments = parameters->kernelParams[0];
  std::memcpy(&made.rows, parameters->kernelParams[1], sizeof made.rows);
  made.blocks = parameters->gridDim.x;
  made.threads = parameters->blockDim.x;
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long) {
  *executable = new EmulatedGraph(*graph);
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t) {
  executable->run();
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
}
