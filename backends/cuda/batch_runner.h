// A step that runs batch by batch on a GPU (ExecutionOptions::batch). Kernels read all that differs
// between batches from memory: blocks read there which rows they have, and where their lists,
// offsets and orders are. That is made on the device, while the batch before runs (BatchMaker),
// where that takes less time. Else, and of the first batch, it is bound on the host, written to
// pinned memory and copied as one piece. Of a Plan of two stages (fetch_rows()) the first runs
// then, too. Kernels are compiled, and graphs made, once.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "backends/cuda/batch_image.h"
#include "backends/cuda/batch_maker.h"
#include "backends/cuda/plan_graphs.h"
#include "src/batch/plan_batch.h"

namespace vecc::cuda {

class BatchRunner {
 public:
  /// Values of compact batches may take so many times as much as those of a typical one, or of the
  /// first, before they get another piece of memory.
  static constexpr std::uint64_t kUsualValues = 2;

  /// Compiles or loads the kernels. `plan`: that was batch.plan. `scalars`: parameters of one
  /// number that the step's launches only read. Errors: those of compile_device_code(). Throws
  /// DeviceError.
  [[nodiscard]] static Result<std::unique_ptr<BatchRunner>> make(
      std::shared_ptr<Device> device, const Plan& plan, BatchPlan batch,
      std::vector<ParameterIndex> scalars, const BatchOptions& batches,
      const DeviceCodeOptions& options, DeviceCodeCounts* counts);

  /// Takes from the Plan's launches what every batch brings.
  void forget_arrays(Plan& plan) const;
  /// Once: by launch what it is started with, but for that; by buffer where it begins.
  void bind(std::vector<LaunchArguments> arguments, std::vector<CUdeviceptr> buffers);

  /// PlanBatch::bind(), or keep() where it can be made on the device; also while a batch runs.
  [[nodiscard]] Result<void> bind_batch(const Batch& batch, std::unique_ptr<BoundBatch>& to,
                                        bool on_host = false);
  /// Whether batches that are bound from now on may leave their members to be drawn.
  [[nodiscard]] bool draws_members() const;
  /// Null if it is not this step's.
  [[nodiscard]] const PlanBatch* find(const BoundBatch& batch) const {
    return PlanBatch::find(batch_, &batch);
  }
  /// BatchPlan::outputs.
  [[nodiscard]] std::span<const BatchOutput> outputs() const { return batch_.outputs; }
  /// A batch, and the values of `scalars` in its step.
  struct Start {
    const PlanBatch* batch = nullptr;
    std::span<const double> scalars;
  };
  /// Their steps, one after another. Does not wait. Throws DeviceError.
  void start(std::span<const Start> batches);
  /// How many steps are started at once.
  [[nodiscard]] std::uint32_t steps_at_once() const { return steps_; }
  /// The image of the last batch that was started, if that was bound on the host.
  [[nodiscard]] const BatchImage& last_image() const { return last_image_; }
  /// The first `bytes` of it, from the device. Waits. Throws DeviceError.
  [[nodiscard]] std::vector<std::byte> read_image(std::uint64_t bytes) const {
    return slots_[1 - next_]->read(bytes);
  }
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
  void take_nodes(PlanCode& code);
  // `values`: where those of a compact batch begin.
  [[nodiscard]] BatchWriter writer(CUdeviceptr values = 0) const {
    return {batch_, *layout_, nodes_, cutter_, buffers_, nowhere_.at(0), dtype_, values};
  }
  // Whether a slot has the values of its batch: rows of the next one are fetched while one runs.
  [[nodiscard]] bool has_own_values() const { return fetches_ > 0; }
  void share_numbers();
  void set_steps(std::uint64_t batches);
  [[nodiscard]] std::uint64_t more_bytes() const;
  [[nodiscard]] std::uint64_t most_capacity() const;
  [[nodiscard]] std::uint64_t capacity_for(const PlanBatch& batch) const;
  void expect_slots(const PlanBatch& batch);
  void expect_maker(const PlanBatch& batch);
  [[nodiscard]] bool is_made_on_device(const Batch& batch) const;
  [[nodiscard]] std::unique_ptr<BatchSlot> make_slot(const PlanBatch& batch);
  void write_bounds(BatchSlot& slot) const;
  [[nodiscard]] std::size_t start_some(std::span<const Start> batches);
  [[nodiscard]] BatchSlot& free_slot(const PlanBatch& batch);
  [[nodiscard]] std::uint64_t rest_bytes(const PlanBatch& batch, const BatchSlot::Step& step) const;
  [[nodiscard]] bool start_made(const PlanBatch& batch, std::span<const double> scalars,
                                BatchSlot& slot) const;
  [[nodiscard]] std::uint64_t write_sets(const PlanBatch& batch, std::span<const double> scalars,
                                         BatchSlot& slot) const;
  [[nodiscard]] std::uint64_t write_search(const PlanBatch& batch, std::span<const double> scalars,
                                           BatchSlot& slot) const;
  std::size_t start_bound(std::span<const Start> batches);
  void make_room_for_values(DeviceBlock& values);
  [[nodiscard]] BatchOrigin origin() const {
    return {binders_.reach() ? &binders_.reach()->numbers() : &*numbers_, binders_.reach(),
            draws_ ? draws_->members.get() : nullptr};
  }

  std::shared_ptr<Device> device_;
  const BatchPlan batch_;
  const DType dtype_;
  BatchCutter cutter_;
  BinderPool binders_;
  std::vector<ParameterIndex> scalars_;
  std::vector<NodeCode> nodes_;
  std::size_t fetches_ = 0;  // the first nodes, of a compact plan's first stage where it has two
  std::shared_ptr<DeviceModule> set_numbers_;
  std::shared_ptr<DeviceModule> make_batch_;  // null: batches are bound on the host
  std::vector<LaunchArguments> arguments_;
  std::vector<CUdeviceptr> buffers_;
  std::vector<BoundPlace> bounds_;      // by launch, without a place
  std::vector<std::uint64_t> weights_;  // by BatchOptions::weights: elements
  std::vector<OwnAddress> own_addresses_;
  DeviceBlock nowhere_;
  DeviceBlock values_;                 // of compact batches, unless each slot has its own
  std::uint64_t expected_values_ = 0;  // elements of them
  mutable std::mutex expects_;         // of what the first batch that is bound decides
  std::optional<BatchLayout> layout_;
  std::uint64_t kept_bytes_ = 0;     // BatchOptions::image_bytes
  std::uint32_t steps_ = 1;          // of a slot
  std::uint64_t capacity_ = 0;       // of a slot, for one batch, at least
  std::uint64_t usual_rest_ = 0;     // of each more of its steps, beside what has fixed places
  bool holds_any_ = false;           // it does for any batch
  std::uint64_t expected_slot_ = 0;  // bytes that it takes
  std::uint64_t input_bytes_ = 0;
  std::optional<ReachNumbers> numbers_;      // where batches are searched on the device
  std::shared_ptr<const BatchDraws> draws_;  // and draw members there; null: they do not
  std::unique_ptr<BatchMaker> maker_;        // null: batches are bound on the host
  bool is_uploaded_ = false;                 // maker_
  std::vector<LaunchPart> parts_;            // of the last batch
  std::vector<ImageBatch> together_;         // that are started together
  BatchImage last_image_;
  std::array<std::unique_ptr<BatchSlot>, 2> slots_;
  std::size_t next_ = 0;
};

/// How many steps are started as one graph, no more than `most`, where an epoch has `batches`: what
/// takes the fewest starts, those of steps that are left over among them.
[[nodiscard]] std::uint32_t count_steps_at_once(std::uint64_t batches, std::uint64_t most);

}  // namespace vecc::cuda
