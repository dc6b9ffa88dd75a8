// A Plan with its kernels and its memory on a GPU: what a run launches.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/cuda/device_block.h"
#include "backends/cuda/device_code.h"
#include "backends/cuda/device_tables.h"
#include "backends/cuda/launch_graph.h"
#include "backends/cuda/launch_layout.h"
#include "backends/native/plan_executable.h"

namespace vecc::cuda {

class CudaMachine final : public native::PlanMachine<DeviceBlock> {
 public:
  /// Compiles or loads the kernels. Errors: those of compile_device_code(), OutOfMemory with the
  /// need and what is free. Throws DeviceError.
  [[nodiscard]] static Result<std::unique_ptr<CudaMachine>> make(std::shared_ptr<Device> device,
                                                                 Plan plan,
                                                                 const DeviceCodeOptions& options,
                                                                 DeviceCodeCounts* counts);

  [[nodiscard]] const Plan& plan() const override { return plan_; }
  void set_block(BufferIndex buffer, DeviceBlock block) override {
    blocks_[buffer] = std::move(block);
  }
  void bind() override;
  [[nodiscard]] const DeviceBlock& block(BufferIndex buffer) const override {
    return blocks_[buffer];
  }
  [[nodiscard]] DeviceBlock make_block(std::uint64_t elements) const override {
    return {device_, plan_.dtype, elements};
  }
  void start(std::uint32_t stage) override;
  void wait() override { device_->wait(); }
  void run_timed(std::uint32_t stage, std::vector<double>& seconds) override;
  [[nodiscard]] std::uint64_t bytes() const override;

 private:
  CudaMachine(std::shared_ptr<Device> device, Plan plan)
      : device_(std::move(device)), plan_(std::move(plan)), blocks_(plan_.buffers.size()) {}
  [[nodiscard]] Result<void> load_kernels(const DeviceCodeOptions& options,
                                          DeviceCodeCounts* counts);
  [[nodiscard]] Result<void> check_memory() const;
  void allocate();
  [[nodiscard]] bool runs_narrow(const Launch& launch, const DeviceTables& tables) const;
  void add_tables(const Launch& launch, DeviceTables& tables) const;
  void bind_launch(std::size_t launch, DeviceTables& tables);
  [[nodiscard]] std::unique_ptr<LaunchGraph> make_graph(std::uint32_t stage) const;

  std::shared_ptr<Device> device_;
  Plan plan_;
  std::vector<std::uint32_t> slots_;                  // by launch
  std::vector<std::shared_ptr<DeviceModule>> units_;  // by launch
  DeviceBlock arena_;
  DeviceMemory tables_;
  std::uint64_t table_bytes_ = 0;
  std::vector<DeviceBlock> blocks_;  // by buffer
  std::vector<BoundLaunch> launches_;
  std::vector<std::unique_ptr<LaunchGraph>> graphs_;  // by stage, when it has run once
};

}  // namespace vecc::cuda
