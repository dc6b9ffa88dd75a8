// The steps of all batches of a training by one compiled Program.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/train/step_program.h"
#include "src/train/touched_rows.h"
#include "vecc/backend.h"
#include "vecc/train.h"

namespace vecc::training {

/// A batch in the form in which its step runs.
struct BatchStep {
  std::unique_ptr<BoundBatch> bound;
  double divisor = 1;
  std::uint64_t counted = 0;  ///< samples that have a weight
};

class BatchSteps {
 public:
  /// `program`: the forward Program of the graph's samples. None where each batch must be a Program
  /// of its own: the backend does not bind batches, or not those of this step (a line at debug
  /// level says why), or the loss is one of pairs. Errors: those of make_batch_step_program() and
  /// Backend::compile().
  [[nodiscard]] static Result<std::unique_ptr<BatchSteps>> make(
      const NeuronGraph& graph, const Program& program, const Backend& backend,
      const ExecutionOptions& execution, const TrainOptions& options,
      std::span<const std::uint32_t> samples);

  /// Makes `to` the step of these samples, of those that make() was given. May be called while a
  /// step runs.
  [[nodiscard]] Result<void> bind(std::span<const std::uint32_t> samples, BatchStep& to);
  /// Step number `step` (the first is 1), in run number `run`, at a learning rate.
  [[nodiscard]] Result<void> start(const BatchStep& batch, std::uint64_t step, std::uint64_t run,
                                   double rate);
  [[nodiscard]] std::uint64_t bytes() const { return executable_->bytes(); }

 private:
  BatchSteps(const NeuronGraph& graph, BatchStepProgram made, const TrainOptions& options,
             std::span<const std::uint32_t> samples);

  void add_samples(std::span<const std::uint32_t> samples, BatchStep& to);
  void add_touched(std::span<const std::uint32_t> samples);

  BatchStepProgram made_;
  LossOptions loss_;
  std::vector<std::uint32_t> places_;  // by sample of the graph: its number in the Program
  TouchedRows touched_;
  std::unique_ptr<Executable> executable_;
  std::vector<std::string> names_;                              // of batch_.touched
  Batch batch_;                                                 // that is being bound
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order_;  // of its samples: row, number
};

}  // namespace vecc::training
