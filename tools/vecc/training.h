// One training of vecc --train: its steps, evaluations, logs, and what the report says of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "execute.h"
#include "options.h"
#include "start_values.h"
#include "tools/common/memory_statement.h"
#include "tools/common/progress_line.h"
#include "tools/common/stages.h"
#include "tools/html/training_curves.h"
#include "train_samples.h"
#include "vecc/fanout.h"
#include "vecc/neuron_graph.h"
#include "vecc/program.h"
#include "vecc/train_loop.h"

namespace vecc::tools {

/// A second graph, to validate with: its weights have values, `program` is its optimized Program.
struct ValidationGraph {
  NeuronGraph graph;
  Program program;
};

/// The command line's options, the loss chosen where nothing is said; warns where it does not fit.
[[nodiscard]] TrainOptions complete_options(const NeuronGraph& graph, const Program& program,
                                            const Options& options);

/// `batches of 32, bound: 45.2 KB of values and 12.1 KB of index arrays a step`; all samples:
/// empty.
[[nodiscard]] std::string text_of_batches(const BatchReport& report);

/// What steps are made of with --fanout: evaluations have the whole graph.
struct SampledSteps {
  std::optional<NeuronGraph> graph;  ///< none: that of the samples, without neurons
  Program program;
};

/// References given must outlive it.
class Training {
 public:
  /// `given`: the Program of a graph without neurons, before any pass; null: the graph has neurons.
  Training(const NeuronGraph& graph, const Program& program, const BackendChoice& choice,
           const Options& options, const TrainOptions& train_options,
           const Program* given = nullptr);

  /// Compiles. `validation`: null for the split's own samples. Errors: Usage (early stop without
  /// samples to validate with); those of make_trainer() and make_evaluator().
  [[nodiscard]] Result<void> prepare(const SampleSplit& split, const ValidationGraph* validation);
  /// Errors: those of train() and of the logs.
  [[nodiscard]] Result<void> run(ProgressLine& line, const std::vector<std::string>& log_texts);

  /// Before prepare(): what it takes counts on forget_values() of the Program after it.
  void expect_to_forget() { forgets_ = true; }
  /// When prepared: the storage has what steps with --fanout started from.
  void forget_sampled_values() {
    if (sampled_) forget_values(graph_, sampled_->program);
  }

  [[nodiscard]] Trainer& trainer() { return *trainer_; }
  /// When prepared.
  [[nodiscard]] const BatchReport& batches() const { return batches_; }
  /// When prepared: what was said before.
  [[nodiscard]] const MemoryStatement& memory() const { return memory_; }
  /// Of the last run().
  [[nodiscard]] const TrainSummary& summary() const { return summary_; }
  /// Of the samples to validate with, which there must be.
  [[nodiscard]] Result<Evaluator::Evaluation> validate() { return validation_->evaluate(); }
  /// To run a Program of these parameters with the weights of now.
  [[nodiscard]] const ExecutionOptions& execution() const { return execution_; }

  /// With the words of describe().
  [[nodiscard]] TrainingCurves take_curves();
  /// What the report says of the last stage.
  void describe(Stages& stages) const;

 private:
  [[nodiscard]] Result<void> find_cost();
  /// What evaluations will take, before the step that they follow is made.
  [[nodiscard]] Result<void> expect_evaluations(const SampleSplit& split,
                                                const ValidationGraph* validation);
  /// The graph and Program of steps, where members are drawn.
  [[nodiscard]] Result<void> sample_members();
  /// The same before any pass; takes its members to the options.
  [[nodiscard]] Result<std::optional<SampledSteps>> make_sampled(const Fanout& fanout);
  /// Whether there are such, which options then have.
  bool keep_members(SampledMembers members);
  [[nodiscard]] std::string words_of_fanout() const;
  void add_to_curves(const EpochReport& report);
  /// What the backend holds, for steps and evaluations.
  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] std::string words() const;

  const NeuronGraph& graph_;
  const Program& program_;
  const Program* given_;  ///< null: the graph has neurons
  const Backend& backend_;
  const Options& options_;
  TrainOptions train_options_;
  ExecutionOptions execution_;
  MemoryStatement memory_;
  LoopOptions loop_;
  bool forgets_ = false;
  std::optional<SampledSteps> sampled_;  ///< none: all members are read
  nlohmann::ordered_json fanout_;        ///< what the report says of --fanout
  std::unique_ptr<Trainer> trainer_;
  std::unique_ptr<Evaluator> training_;
  std::unique_ptr<Evaluator> validation_;
  std::optional<EpochReport> last_;
  BatchReport batches_;
  TrainSummary summary_;
  TrainingCurves curves_;
};

}  // namespace vecc::tools
