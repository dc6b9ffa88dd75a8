// A Program as a Plan on a GPU.
#pragma once

#include <memory>
#include <string>

#include "backends/cuda/cuda_machine.h"
#include "backends/native/plan_executable.h"

namespace vecc::cuda {

/// The Plan that a GPU runs, verified.
[[nodiscard]] Plan make_device_plan(const native::GradientProgram& program,
                                    const ExecutionOptions& options, const Target& target,
                                    std::vector<PlanOptions::UsualMembers> usual = {});

class CudaExecutable final : public native::PlanExecutable<DeviceBlock> {
 public:
  /// check_stored() has passed. Errors: those of make_gradient_program(), make_batch_plan(),
  /// check_thread_memory(), place_on_device() and CudaMachine::make(), DeviceFailure. Throws
  /// std::bad_alloc (of the host's memory).
  [[nodiscard]] static Result<std::unique_ptr<Executable>> make(
      const Program& program, const ExecutionOptions& options,
      const std::shared_ptr<Device>& device);

  Result<void> start() override {
    return whole([&] { return PlanExecutable::start(); });
  }
  Result<void> run() override {
    return whole([&] { return PlanExecutable::run(); });
  }
  Result<void> bind_batch(const Batch& batch, std::unique_ptr<BoundBatch>& to) override;
  [[nodiscard]] bool draws_members() const override {
    return batches_ != nullptr && batches_->draws_members();
  }
  Result<void> start_batch(const BoundBatch& batch) override { return start_batch_with({}, batch); }
  Result<void> start_batch_with(std::span<const ParameterValues> values,
                                const BoundBatch& batch) override;
  Result<void> start_batches(std::span<const BatchStart> batches) override;
  [[nodiscard]] std::uint32_t batches_at_once() const override {
    return batches_ == nullptr ? 1 : batches_->steps_at_once();
  }
  Result<std::vector<double>> run_series(const RunSeries& series) override;
  Result<double> timed_run() override {
    return whole([&] { return PlanExecutable::timed_run(); });
  }
  Result<std::vector<double>> profile() override {
    return whole([&] { return PlanExecutable::profile(); });
  }
  Result<std::vector<Output>> outputs() override {
    return guarded([&] {
      return batches_ == nullptr ? PlanExecutable::outputs() : batch_outputs(batches_->outputs());
    });
  }
  Result<void> copy_outputs(OutputElements to) override {
    return guarded([&] {
      return batches_ == nullptr ? copy_all_outputs(to) : PlanExecutable::copy_outputs(to);
    });
  }
  Result<std::vector<double>> read(ValueId value) override {
    return guarded([&] { return PlanExecutable::read(value); });
  }
  Result<void> set_parameter(ParameterIndex parameter, std::span<const double> values) override;
  Result<std::vector<double>> parameter(ParameterIndex parameter) override;
  Result<void> set_state(std::string_view name, std::span<const double> values) override {
    return guarded([&] { return PlanExecutable::set_state(name, values); });
  }
  Result<std::vector<double>> state(std::string_view name) override {
    return guarded([&] { return PlanExecutable::state(name); });
  }
  Result<void> differentiate(std::span<const double> output_gradients) override {
    return guarded([&] { return PlanExecutable::differentiate(output_gradients); });
  }
  Result<void> differentiate_sum() override {
    return guarded([&] { return PlanExecutable::differentiate_sum(); });
  }
  Result<std::vector<double>> gradient(ParameterIndex parameter) override {
    return guarded([&] { return PlanExecutable::gradient(parameter); });
  }
  [[nodiscard]] std::string device_name() const override { return device_->name(); }
  /// Null without ExecutionOptions::batch.
  [[nodiscard]] BatchRunner* batches() { return batches_; }
  /// How many of its kernels were compiled for it.
  [[nodiscard]] const DeviceCodeCounts& code_counts() const { return code_counts_; }

 private:
  CudaExecutable(const native::GradientProgram& whole, std::shared_ptr<Device> device)
      : PlanExecutable("cuda", whole), device_(std::move(device)), dtype_(whole.program.dtype()) {}

  // Before any memory is taken.
  [[nodiscard]] Result<void> check_plan(const Program& program, const Plan& plan,
                                        const std::vector<PlacedTable>& places,
                                        const ExecutionOptions& options) const;
  [[nodiscard]] Result<std::unique_ptr<CudaMachine>> make_whole(const Program& program,
                                                                const ExecutionOptions& options,
                                                                Plan plan);
  [[nodiscard]] Result<std::unique_ptr<CudaMachine>> make_for_batches(
      const Program& program, const ExecutionOptions& options, Plan plan);
  [[nodiscard]] double* scalar(ParameterIndex parameter);
  [[nodiscard]] bool starts_together(std::span<const BatchStart> batches);
  Result<void> set_scalars(std::span<const ParameterValues> values);

  // Of what runs all rows.
  template <class Body>
  auto whole(Body&& body) -> decltype(body()) {
    if (batches_ == nullptr) return guarded(body);
    return Errors(ErrorCode::Usage, "batch", "the program was compiled for batches, and has none");
  }

  // What the device refuses is the result.
  template <class Body>
  auto guarded(Body&& body) -> decltype(body()) {
    try {
      device_->use();
      return body();
    } catch (const DeviceError& error) {
      return error.errors;
    }
  }

  std::shared_ptr<Device> device_;
  DType dtype_;
  CudaMachine* cuda_machine_ = nullptr;  // that of PlanExecutable
  BatchRunner* batches_ = nullptr;       // with ExecutionOptions::batch: of the machine
  std::vector<ParameterIndex> scalars_;  // that go to the device with a batch
  std::vector<double> scalar_values_;
  DeviceCodeCounts code_counts_;
};

}  // namespace vecc::cuda
