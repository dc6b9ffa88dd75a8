// The kernels of a Plan, and how a stage of it is started: as a CUDA graph or one after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cuda/device_block.h"
#include "backends/cuda/device_code.h"
#include "backends/cuda/device_series.h"
#include "backends/cuda/graph_nodes.h"
#include "backends/cuda/launch_graph.h"
#include "backends/cuda/launch_way.h"
#include "backends/cuda/node_code.h"

namespace vecc::cuda {

/// What a launch of the Plan is started with.
struct LaunchArguments {
  std::vector<std::byte> bytes;  ///< `Bound` of print_cuda()
  bool narrow = false;           ///< its lists have 16 bits an entry
};

class PlanGraphs {
 public:
  /// Compiles or loads the kernels of a Plan that runs `runs` times; 0: often. Errors: those of
  /// compile_device_code(). Throws DeviceError.
  [[nodiscard]] static Result<std::unique_ptr<PlanGraphs>> load(std::shared_ptr<Device> device,
                                                                const Plan& plan,
                                                                std::uint64_t runs,
                                                                const DeviceCodeOptions& options,
                                                                DeviceCodeCounts* counts);

  /// Once, before anything is started: by launch. Throws DeviceError.
  void bind(std::vector<LaunchArguments> arguments);
  /// All launches of a stage. Does not wait. Throws DeviceError.
  void start(std::uint32_t stage);
  /// Those of stage 0 as often as the series says. Does not wait. Throws DeviceError.
  void start_series(const DeviceSeries& series);
  /// One launch alone, to time it. Throws DeviceError.
  void start_alone(std::uint32_t launch);
  /// What it holds on the device beside code.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  struct Node : NodeCode {
    BoundLaunch bound;
  };
  using Stage = std::vector<Node>;

  PlanGraphs(std::shared_ptr<Device> device, LaunchWay way)
      : device_(std::move(device)), way_(way) {}
  static void bind_node(Node& node, std::vector<LaunchArguments>& arguments,
                        std::vector<std::byte>& tables);
  [[nodiscard]] std::unique_ptr<LaunchGraph> make_graph(const Stage& stage,
                                                        const BoundLaunch* last) const;
  void start_one_by_one(const Stage& stage) const;
  [[nodiscard]] BoundLaunch end_of_run(const DeviceSeries& series) const;

  std::shared_ptr<Device> device_;
  LaunchWay way_;
  std::vector<Stage> stages_;
  std::shared_ptr<DeviceModule> end_run_;
  DeviceMemory tables_;
  std::uint64_t bytes_ = 0;
  std::vector<const Node*> node_of_;                  // by launch
  std::vector<std::unique_ptr<LaunchGraph>> graphs_;  // by stage, when it has run as one
  std::unique_ptr<LaunchGraph> series_graph_;         // of the series that was run last
  CUdeviceptr series_ = 0;
};

}  // namespace vecc::cuda
