// Launches as a CUDA graph: one call starts all of them, and those that do not wait for one another
// run at once.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/emit/cuda/runtime/device.h"
#include "src/emit/native/runtime/kernels.h"

namespace vecc::emitted {

struct BoundLaunch {
  KernelFunction function = nullptr;
  std::vector<std::byte> arguments;  ///< its kernel's `Bound`
  const void* blocks = nullptr;      ///< BlockRows of kernels/prelude.h, on the GPU
  std::uint32_t block_count = 0;
  std::span<const std::uint32_t> before;  ///< launches that it waits for, all of them earlier
};

class LaunchGraph {
 public:
  /// The launches, and the device, outlive it. Throws Failure.
  LaunchGraph(const Device& device, std::span<const BoundLaunch> launches);
  ~LaunchGraph();
  LaunchGraph(const LaunchGraph&) = delete;
  LaunchGraph& operator=(const LaunchGraph&) = delete;

  /// Starts all of them. Throws Failure.
  void start() const;

 private:
  void add_nodes(std::span<const BoundLaunch> launches);

  const Device& device_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace vecc::emitted
