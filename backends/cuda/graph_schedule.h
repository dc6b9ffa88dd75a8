// A launch a kernel, all of a stage in a CUDA graph. Launches of one kernel that nothing keeps
// apart are one node.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/cuda/device_code.h"
#include "backends/cuda/device_series.h"
#include "backends/cuda/device_unit.h"
#include "backends/cuda/launch_graph.h"
#include "backends/cuda/schedule.h"
#include "src/plan/choose_loops.h"
#include "src/plan/launch_layout.h"

namespace vecc::cuda {

class GraphSchedule {
 public:
  /// Compiles or loads the Plan's kernels. Errors: those of compile_device_code(). Throws
  /// DeviceError.
  [[nodiscard]] static Result<std::unique_ptr<GraphSchedule>> load(std::shared_ptr<Device> device,
                                                                   const Plan& plan,
                                                                   const DeviceCodeOptions& options,
                                                                   DeviceCodeCounts* counts);

  /// Once, before anything is started: by launch. Throws DeviceError.
  void bind(const Plan& plan, std::vector<LaunchArguments> arguments);
  /// All launches of a stage. Does not wait. Throws DeviceError.
  void start(std::uint32_t stage);
  /// Those of stage 0 as often as the series says. Does not wait. Throws DeviceError.
  void start_series(const DeviceSeries& series);
  /// One launch alone, to time it. Throws DeviceError.
  void start_alone(std::uint32_t launch);
  /// What it holds on the device beside code.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  // Launches of one kernel, of one level.
  struct Node {
    std::vector<std::uint32_t> launches;
    MemberLoops loops;
    std::vector<BlockRows> blocks;
    std::vector<std::size_t> firsts;    // by launch its first block; then how many there are
    std::vector<std::uint32_t> before;  // nodes of the stage, earlier in it
    Cycles cycles;                      // of all launches, by the model
    LaunchOrder order;
    int priority = 0;
    std::shared_ptr<DeviceModule> unit;
    BoundLaunch bound;
  };
  using Stage = std::vector<Node>;

  explicit GraphSchedule(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  [[nodiscard]] static Stage nodes_of(const Plan& plan, const StageLaunches& launches);
  static void put_roots_in_a_row(const Plan& plan, Stage& stage);
  static void begin_early(const Target& target, Stage& stage);
  static void bind_node(Node& node, std::vector<LaunchArguments>& arguments,
                        std::vector<std::byte>& tables);
  [[nodiscard]] std::unique_ptr<LaunchGraph> make_graph(const Stage& stage,
                                                        const BoundLaunch* last) const;

  std::shared_ptr<Device> device_;
  std::vector<Stage> stages_;
  std::shared_ptr<DeviceModule> end_run_;
  DeviceMemory tables_;
  std::uint64_t bytes_ = 0;
  std::vector<const Node*> node_of_;                  // by launch
  std::vector<std::unique_ptr<LaunchGraph>> graphs_;  // by stage, when it has run once
  std::unique_ptr<LaunchGraph> series_graph_;         // of the series that was run last
  CUdeviceptr series_ = 0;
};

}  // namespace vecc::cuda
