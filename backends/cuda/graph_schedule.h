// A launch a kernel, all of a stage in a CUDA graph.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/cuda/device_code.h"
#include "backends/cuda/launch_graph.h"
#include "backends/cuda/schedule.h"
#include "src/plan/launch_layout.h"

namespace vecc::cuda {

class GraphSchedule final : public Schedule {
 public:
  /// Compiles or loads the Plan's kernels. Errors: those of compile_device_code(). Throws
  /// DeviceError.
  [[nodiscard]] static Result<std::unique_ptr<Schedule>> load(std::shared_ptr<Device> device,
                                                              const Plan& plan,
                                                              const DeviceCodeOptions& options,
                                                              DeviceCodeCounts* counts);

  void bind(const Plan& plan, std::vector<LaunchArguments> arguments) override;
  void start(std::uint32_t stage) override;
  void start_series(const DeviceSeries& series) override;
  void start_alone(std::uint32_t launch) override;
  [[nodiscard]] std::uint64_t bytes() const override { return block_bytes_; }

 private:
  explicit GraphSchedule(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  [[nodiscard]] std::unique_ptr<LaunchGraph> make_graph(std::uint32_t stage,
                                                        const BoundLaunch* last) const;

  std::shared_ptr<Device> device_;
  std::vector<std::uint32_t> slots_;                  // by launch
  std::vector<std::shared_ptr<DeviceModule>> units_;  // by launch
  std::shared_ptr<DeviceModule> end_run_;
  std::vector<BoundLaunch> launches_;
  struct Stage {
    std::uint32_t first = 0;                         // of its launches
    std::vector<std::vector<std::uint32_t>> before;  // what each of them waits for
  };
  std::vector<Stage> stages_;
  DeviceMemory blocks_;
  std::uint64_t block_bytes_ = 0;
  std::vector<std::unique_ptr<LaunchGraph>> graphs_;  // by stage, when it has run once
  std::unique_ptr<LaunchGraph> series_graph_;         // of the series that was run last
  CUdeviceptr series_ = 0;
};

}  // namespace vecc::cuda
