// A Program as a Plan that is bound to code and memory.
#pragma once

#include <memory>
#include <string>

#include "backends/cpu/batch_runner.h"
#include "backends/cpu/load_code.h"
#include "backends/cpu/native_block.h"
#include "backends/native/plan_executable.h"

namespace vecc::cpu {

class CpuExecutable final : public native::PlanExecutable<NativeBlock> {
 public:
  /// check_stored() has passed. Errors: those of load_code(), of append_gradients() and of
  /// make_batch_plan(). Throws std::bad_alloc.
  [[nodiscard]] static Result<std::unique_ptr<Executable>> make(const Program& program,
                                                                const ExecutionOptions& options);

  /// What was measured with interpreted kernels does not count for compiled ones.
  [[nodiscard]] std::string device_name() const override {
    return is_interpreted_ ? "cpu, kernels interpreted" : "cpu";
  }
  Result<void> start() override;
  Result<void> run() override { return start(); }
  Result<double> timed_run() override;
  Result<std::vector<double>> profile() override;
  Result<std::vector<Output>> outputs() override;
  Result<void> copy_outputs(OutputElements to) override;
  Result<void> bind_batch(const Batch& batch, std::unique_ptr<BoundBatch>& to) override;
  Result<void> start_batch(const BoundBatch& batch) override;
  [[nodiscard]] std::uint64_t bytes() const override {
    return PlanExecutable::bytes() + (batches_ ? batches_->bytes() - arena_bytes_ : 0);
  }
  /// How many of its kernels were compiled for it.
  [[nodiscard]] const CodeCounts& code_counts() const { return code_counts_; }

 private:
  explicit CpuExecutable(const native::GradientProgram& whole) : PlanExecutable("cpu", whole) {}

  void write_weights(const PlanBatch& batch);
  Result<void> copy_batch_outputs(OutputElements to);

  CodeCounts code_counts_;
  std::unique_ptr<BatchRunner> batches_;  // with ExecutionOptions::batch
  std::uint64_t arena_bytes_ = 0;  // of all samples' values; batches_ counts what of it is there
  std::vector<ParameterIndex> weights_;          // BatchOptions::weights
  std::vector<std::vector<std::uint32_t>> set_;  // by weights: rows of the last batch
  bool is_interpreted_ = false;
};

}  // namespace vecc::cpu
