// Launches as a CUDA graph: one call starts all of them, and those that do not depend on one
// another run at once. Very many launches are several graphs, one after another: the time to
// instantiate one grows faster than its nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "backends/cuda/device.h"
#include "src/kernel/print_cuda.h"

namespace vecc::cuda {

/// A launch that is bound to its function and its memory.
struct BoundLaunch {
  CUfunction function = nullptr;
  std::vector<std::byte> arguments;  ///< `Bound` or `Merged` of print_cuda()
  CUdeviceptr all = 0;               ///< what `Merged` points to
  CUdeviceptr blocks = 0;            ///< BlockRows
  std::uint32_t block_count = 0;
  std::uint32_t threads = kCudaThreads;  ///< of a block
  int priority = 0;                      ///< in a graph that starts early
  bool starts_late = false;              ///< there, too, when what it waits for has ended
};

/// Whether a graph's kernels start before those that they wait for have ended, and wait themselves
/// (programmatic dependent launch): what does not change they prefetch.
[[nodiscard]] bool starts_early(const Device& device);

/// Starts it on a stream of the device. Throws DeviceError.
void start_launch(const Device& device, const BoundLaunch& launch, CUstream stream);

class LaunchGraph {
 public:
  /// `before`: by launch, those that it waits for, all of them earlier in the list. Throws
  /// DeviceError.
  LaunchGraph(std::shared_ptr<Device> device, std::span<const BoundLaunch* const> launches,
              std::span<const std::vector<std::uint32_t>> before);
  ~LaunchGraph();
  LaunchGraph(const LaunchGraph&) = delete;
  LaunchGraph& operator=(const LaunchGraph&) = delete;

  /// Starts all on the device's stream, or another one. Throws DeviceError.
  void start() const { start(device_->stream()); }
  void start(CUstream stream) const;

 private:
  explicit LaunchGraph(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  void add_graph(std::span<const BoundLaunch* const> launches,
                 std::span<const std::vector<std::uint32_t>> before, std::size_t first);

  std::shared_ptr<Device> device_;
  std::vector<CUgraphExec> graphs_;
};

}  // namespace vecc::cuda
