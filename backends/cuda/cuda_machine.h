// A Plan with its kernels and its memory on a GPU: what a run launches.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "backends/cuda/batch_runner.h"
#include "backends/cuda/device_block.h"
#include "backends/cuda/device_code.h"
#include "backends/cuda/device_series.h"
#include "backends/cuda/device_tables.h"
#include "backends/cuda/plan_graphs.h"
#include "backends/native/plan_executable.h"
#include "src/plan/place_tables.h"

namespace vecc::cuda {

class CudaMachine final : public native::PlanMachine<DeviceBlock> {
 public:
  /// Compiles or loads the kernels of a Plan that runs `runs` times; 0: often. `places`: of
  /// place_on_device(). Errors: those of compile_device_code(). Throws DeviceError.
  [[nodiscard]] static Result<std::unique_ptr<CudaMachine>> make(
      std::shared_ptr<Device> device, Plan plan, const std::vector<PlacedTable>& places,
      std::uint64_t runs, const DeviceCodeOptions& options, DeviceCodeCounts* counts);
  /// One that only runs batches, of that Plan, and is told how.
  [[nodiscard]] static std::unique_ptr<CudaMachine> make_for_batches(
      std::shared_ptr<Device> device, Plan plan, const std::vector<PlacedTable>& places,
      std::unique_ptr<BatchRunner> batches);

  [[nodiscard]] const Plan& plan() const override { return plan_; }
  void set_block(BufferIndex buffer, DeviceBlock block) override {
    blocks_[buffer] = std::move(block);
  }
  void bind() override;
  [[nodiscard]] const DeviceBlock& block(BufferIndex buffer) const override {
    return blocks_[buffer];
  }
  [[nodiscard]] DeviceBlock make_block(const StoredRequest& asked) const override;
  /// Null without batches.
  [[nodiscard]] BatchRunner* batches() { return batches_.get(); }
  Result<void> start(std::uint32_t stage) override;
  void wait() override { device_->wait(); }
  /// Stage 0 `runs` times, at most kLongestSeries. `values` by run and input, of which the first
  /// are set already. Appends the total of each run; waits. Throws DeviceError.
  void run_series(const SeriesPlaces& places, std::uint32_t runs, std::span<const double> values,
                  std::vector<double>& totals);
  Result<double> run_measured(std::uint32_t stage) override;
  Result<void> run_timed(std::uint32_t stage, std::vector<double>& seconds) override;
  [[nodiscard]] std::uint64_t bytes() const override;

 private:
  CudaMachine(std::shared_ptr<Device> device, Plan plan, const std::vector<PlacedTable>& places);
  [[nodiscard]] TablePlace place_of(const TableId& table) const {
    return on_host_.contains(table) ? TablePlace::Host : TablePlace::Device;
  }
  void allocate();
  [[nodiscard]] bool runs_narrow(const Launch& launch, const DeviceTables& tables) const;
  static void add_tables(const Launch& launch, bool narrow, DeviceTables& tables);
  [[nodiscard]] LaunchArguments arguments_of(const Launch& launch, bool narrow,
                                             DeviceTables& tables) const;
  [[nodiscard]] std::vector<CUdeviceptr> buffer_addresses() const;

  std::shared_ptr<Device> device_;
  Plan plan_;
  std::unique_ptr<PlanGraphs> graphs_;    // or
  std::unique_ptr<BatchRunner> batches_;  // instead
  std::unique_ptr<DeviceSeries> series_;
  DeviceBlock arena_;
  DeviceMemory tables_;
  std::uint64_t table_bytes_ = 0;
  std::vector<DeviceBlock> blocks_;  // by buffer
  std::set<TableId> on_host_;
  std::map<BufferIndex, HotRows> hot_;  // of those
};

}  // namespace vecc::cuda
