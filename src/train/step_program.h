// The Program of one training step: forward, loss, backward, update.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/train/step_reads.h"
#include "vecc/batch.h"
#include "vecc/batch_program.h"
#include "vecc/loss.h"
#include "vecc/neuron_graph.h"
#include "vecc/program.h"
#include "vecc/train.h"
#include "vecc/train_step.h"

namespace vecc::training {

/// The state to which every step adds the errors of its samples.
inline constexpr const char* kLossState = "train.loss";

struct StepProgram {
  Program program;
  StepOps ops;                                 ///< inputs only
  std::vector<ParameterIndex> own_parameters;  ///< targets and weights of its samples
  std::uint64_t counted = 0;                   ///< samples (pairs) that have a weight
};

/// The parameter of this name.
[[nodiscard]] std::optional<ParameterIndex> find_parameter(const Program& program,
                                                           std::string_view name);

/// The values of its parameters go: of a Program whose parameters a Storage has, or that is looked
/// up in and never compiled.
void forget_values(Program& program);

/// A step that runs batch by batch (BatchOptions). Of a sampled graph, the last of batch.weights is
/// kFanoutTable; of one with statistics of its samples, kStepSamples.
struct BatchStepProgram {
  StepProgram step;  ///< `counted` is that of all samples
  BatchOptions batch;
  bool has_statistics = false;
  ParameterIndex divisor = 0;    ///< a scalar: what a batch divides the weights of its samples by
  std::vector<double> weights;   ///< by sample, not divided
  std::vector<SampleRow> rows;   ///< by sample; `output` is a number of batch.weights
  std::vector<double> elements;  ///< by sample: of its target, 0 without one
};

/// `forward` has the graph's samples `samples`, in that order. `touched`: rows by table that the
/// step may change (OptimizerRows::Touched); null: all. `optimizes`: runs options.optimize over the
/// whole. Errors: as make_trainer().
[[nodiscard]] Result<StepProgram> make_step_program(const NeuronGraph& graph, Program forward,
                                                    std::span<const std::uint32_t> samples,
                                                    const TableRows* touched, bool optimizes,
                                                    const TrainOptions& options);

/// The same for all batches of `samples`, not optimized again; for a loss of samples, not of pairs.
[[nodiscard]] Result<BatchStepProgram> make_batch_step_program(
    const NeuronGraph& graph, Program forward, std::span<const std::uint32_t> samples,
    const TrainOptions& options);

}  // namespace vecc::training
