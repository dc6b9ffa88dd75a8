// The steps of all batches of a training by one compiled Program.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/support/free_list.h"
#include "src/train/step_program.h"
#include "src/train/step_reads.h"
#include "vecc/backend.h"
#include "vecc/batch_program.h"
#include "vecc/train.h"

namespace vecc::training {

/// A batch in the form in which its step runs.
struct BatchStep {
  std::unique_ptr<BoundBatch> bound;  ///< unless it is masked
  Batch batch;                        ///< its samples' weights, by output
  bool is_masked = false;
  double divisor = 1;
  std::uint64_t counted = 0;  ///< samples that have a weight

  [[nodiscard]] BatchStep copy() const {
    return {bound ? bound->copy() : nullptr, batch, is_masked, divisor, counted};
  }
};

/// Two ways to run a batch, of which one or both are there: by an executable that binds batches, or
/// by one of the step of all samples that went through the optimizer as a whole, with weights of 0
/// for all others. The latter changes every parameter: a batch that does not reach all of them is
/// bound.
class BatchSteps {
 public:
  /// `program`: the forward Program of the graph's samples. None where each batch must be a Program
  /// of its own: the backend does not bind batches, or not those of this step (a line at debug
  /// level says why), and masks are not cheaper; or the loss is one of pairs. Errors: those of
  /// make_batch_step_program() and Backend::compile(); Usage (options.batch_way cannot be).
  [[nodiscard]] static Result<std::unique_ptr<BatchSteps>> make(
      const NeuronGraph& graph, const Program& program, const Backend& backend,
      const ExecutionOptions& execution, const TrainOptions& options,
      std::span<const std::uint32_t> samples);

  /// Makes `to` the step of these samples, of those that make() was given, in run number `run`,
  /// which members are drawn by. May be called while a step runs, and on several threads. Error:
  /// Usage (a batch that has to be bound, and cannot).
  [[nodiscard]] Result<void> bind(std::span<const std::uint32_t> samples, std::uint64_t run,
                                  BatchStep& to);
  /// Step number `step` (the first is 1), in run number `run`, at a learning rate.
  struct Start {
    const BatchStep* batch = nullptr;
    std::uint64_t step = 0;
    std::uint64_t run = 0;
    double rate = 0;
  };
  /// One after another.
  [[nodiscard]] Result<void> start(std::span<const Start> starts);
  /// How many are best started at once, of those that come again.
  [[nodiscard]] std::uint32_t steps_at_once() const {
    return bound_ ? bound_->batches_at_once() : 1;
  }
  /// That may bind() beside the step's own.
  [[nodiscard]] std::uint32_t binding_threads() const { return binding_threads_; }
  /// Seconds of binding that are worth one.
  [[nodiscard]] double shortest_binding() const { return shortest_binding_; }
  /// Whether batches that reach all parameters are masked.
  [[nodiscard]] bool masks() const { return masked_ != nullptr; }
  [[nodiscard]] BatchCounts counts() const {
    return bound_ ? bound_->batch_counts() : BatchCounts();
  }
  [[nodiscard]] std::uint64_t bytes() const;
  /// Of parameters and states.
  [[nodiscard]] std::shared_ptr<Storage> storage() const {
    return bound_ ? bound_->storage() : masked_->storage();
  }

 private:
  BatchSteps(const NeuronGraph& graph, BatchStepProgram made, const TrainOptions& options,
             std::span<const std::uint32_t> samples);

  void set_typical(std::span<const std::uint32_t> samples, std::uint64_t size);
  Result<void> compile_bound(const Backend& backend, const ExecutionOptions& execution);
  Result<void> compile_masked(const Backend& backend, const ExecutionOptions& execution,
                              const Program& whole, Program forward);
  void add_samples(std::span<const std::uint32_t> samples, BatchStep& to);
  [[nodiscard]] TableRows find_rows(std::span<const std::uint32_t> samples, std::uint64_t run,
                                    BatchStep& to);
  [[nodiscard]] std::unique_ptr<StepReads> take_reads();
  void set_draws();
  void add_touched(TableRows rows, Batch& to) const;
  [[nodiscard]] bool reaches_all(std::span<const std::uint32_t> samples);
  [[nodiscard]] bool reaches_all(const TableRows& rows) const;
  Result<void> set_mask(const BatchStep& batch);

  BatchStepProgram made_;
  LossOptions loss_;
  std::uint32_t binding_threads_ = 0;
  double shortest_binding_ = 0;
  std::vector<std::uint32_t> places_;  // by sample of the graph: its number in the Program
  const NeuronGraph& graph_;
  std::shared_ptr<const SampledMembers> members_;                // null: all are read
  FreeList<StepReads> reads_;                                    // of each thread one
  bool draws_ = false;                                           // members
  std::unique_ptr<Executable> bound_;                            // null: batches cannot be bound
  std::unique_ptr<Executable> masked_;                           // null: they are not masked
  std::vector<std::pair<ParameterIndex, std::string>> updated_;  // with their names
  std::mutex finds_;                                             // of what is found of samples
  std::vector<std::uint32_t> order_;                             // of a batch's: numbers, by row
  // With masks.
  Program forward_;                         // that samples are looked up in
  std::optional<BatchProgram> restrict_;    // of forward_
  std::vector<std::vector<char>> reached_;  // by sample, by parameter; when first asked for
  std::vector<std::vector<double>> mask_;   // by output: weights of the step at hand
};

}  // namespace vecc::training
