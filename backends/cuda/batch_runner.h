// A step that runs batch by batch on a GPU (ExecutionOptions::batch). Kernels read all that differs
// between batches from memory: blocks read there which rows they have, and where their lists,
// offsets and orders are. What a batch has of these is bound on the host, written to pinned memory
// and copied as one piece, while the batch before it runs. Kernels are compiled, and graphs made,
// once.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "backends/cuda/batch_image.h"
#include "backends/cuda/plan_graphs.h"
#include "src/batch/plan_batch.h"

namespace vecc::cuda {

class BatchRunner {
 public:
  /// Compiles or loads the kernels. `plan`: that was batch.plan. `scalars`: parameters of one
  /// number that the step's launches only read; `share`: BatchOptions::share. Errors: those of
  /// compile_device_code(). Throws DeviceError.
  [[nodiscard]] static Result<std::unique_ptr<BatchRunner>> make(
      std::shared_ptr<Device> device, const Plan& plan, BatchPlan batch,
      std::vector<ParameterIndex> scalars, double share, const DeviceCodeOptions& options,
      DeviceCodeCounts* counts);

  /// Takes from the Plan's launches what every batch brings.
  void forget_arrays(Plan& plan) const;
  /// Once: by launch what it is started with, but for that; by buffer where it begins.
  void bind(std::vector<LaunchArguments> arguments, std::vector<CUdeviceptr> buffers);

  /// PlanBatch::bind(); also while a batch runs.
  [[nodiscard]] Result<void> bind_batch(const Batch& batch, std::unique_ptr<BoundBatch>& to);
  /// Null if it is not this step's.
  [[nodiscard]] const PlanBatch* find(const BoundBatch& batch) const {
    return PlanBatch::find(batch_, &batch);
  }
  /// BatchPlan::outputs.
  [[nodiscard]] std::span<const BatchOutput> outputs() const { return batch_.outputs; }
  /// `scalars`: their values. Does not wait. Throws DeviceError.
  void start(const PlanBatch& batch, std::span<const double> scalars);
  /// On the device. Once a batch was bound, with what two of its kind take there when they run.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  // An address in a Bound that every slot has of its own.
  struct OwnAddress {
    std::uint32_t launch = 0;
    std::uint32_t access = 0;
    bool is_scalar = false;
    std::size_t number = 0;  // of weights, of scalars
    std::uint64_t first = 0;
  };

  BatchRunner(std::shared_ptr<Device> device, const Plan& plan, BatchPlan batch,
              std::vector<ParameterIndex> scalars);
  void describe_bounds(const Plan& plan);
  [[nodiscard]] BatchLayout make_layout(const PlanBatch& batch,
                                        std::span<const LaunchPart> parts) const;
  [[nodiscard]] std::uint64_t capacity_for(const PlanBatch& batch, const BatchLayout& layout) const;
  void expect_slots(const PlanBatch& batch);
  [[nodiscard]] std::unique_ptr<BatchSlot> make_slot(const PlanBatch& batch);
  void write_bounds(BatchSlot& slot) const;
  [[nodiscard]] BatchSlot& free_slot(const PlanBatch& batch);

  std::shared_ptr<Device> device_;
  const BatchPlan batch_;
  const DType dtype_;
  BatchCutter cutter_;
  BinderPool binders_;
  mutable std::mutex expects_;       // of what follows
  std::uint64_t expected_slot_ = 0;  // bytes of a slot for the first batch
  std::vector<ParameterIndex> scalars_;
  std::vector<NodeCode> nodes_;
  std::shared_ptr<DeviceModule> set_numbers_;
  std::vector<LaunchArguments> arguments_;
  std::vector<CUdeviceptr> buffers_;
  std::vector<BoundPlace> bounds_;      // by launch, without a place
  std::vector<std::uint64_t> weights_;  // by BatchOptions::weights: elements
  std::vector<OwnAddress> own_addresses_;
  DeviceBlock nowhere_;
  std::optional<BatchLayout> layout_;  // when there was a batch
  std::vector<LaunchPart> parts_;      // of the last batch
  std::array<std::unique_ptr<BatchSlot>, 2> slots_;
  std::size_t next_ = 0;
};

}  // namespace vecc::cuda
