// Training: a step Program for each batch of samples (forward, loss, backward, update), run one
// after another on one storage of parameters and states.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vecc/backend.h"
#include "vecc/batch.h"
#include "vecc/fanout.h"
#include "vecc/loss.h"
#include "vecc/metrics.h"
#include "vecc/neuron_graph.h"
#include "vecc/optimize.h"
#include "vecc/train_step.h"
#include "vecc/weight_source.h"
#include "vecc/weights.h"

namespace vecc {

/// How the steps of batches come about, where a batch is no Program of its own.
enum class BatchWay : std::uint8_t {
  Choose,  ///< as counted work says
  Bind,    ///< one compiled step; a batch is the rows of it that its samples reach
  Mask,    ///< the step of all samples, in which the others' weights are 0
};
[[nodiscard]] std::string_view text_of(BatchWay way);
[[nodiscard]] std::optional<BatchWay> parse_batch_way(std::string_view text);
[[nodiscard]] std::string_view text_of(BatchValues values);
[[nodiscard]] std::optional<BatchValues> parse_batch_values(std::string_view text);

/// A step as its Program: made of a trainer's forward Program, its graph's samples and
/// TrainOptions.
struct SavedStep {
  Program program;                      ///< the values of its parameters do not count
  std::vector<ValueId> updates;         ///< of a step that runs batch by batch; else none
  std::vector<ParameterIndex> updated;  ///< by update: the parameter whose step it is a part of
};

/// Keeps steps, so that another process with the same forward Program need not make them again.
class StepStore {
 public:
  virtual ~StepStore() = default;
  /// `what`: everything else that decides the step, as text. None: it is not there.
  [[nodiscard]] virtual std::optional<SavedStep> find(const std::string& what) = 0;
  /// `seconds`: what it took to make it.
  virtual void keep(const std::string& what, const SavedStep& step, double seconds) = 0;
  /// How many find() had.
  [[nodiscard]] virtual std::uint32_t found() const = 0;
};

struct TrainOptions {
  LossOptions loss;
  OptimizerOptions optimizer;
  RateSchedule schedule;  ///< of epochs, counted from 0
  /// 0: all training samples at once. Batches of fewer have none without a target, unless the loss
  /// is of pairs or the Program has statistics (batch norm), in which all samples count.
  std::uint32_t batch_size = 0;
  bool shuffle = true;     ///< batches of another order each epoch; false: the given order
  std::uint64_t seed = 0;  ///< of the shuffle
  /// Parameters that no step learns: bound facts.
  std::vector<std::string> inputs = {};
  /// Of a SampledGraph, which is then the trainer's graph; null: steps read all members. Steps have
  /// the samples that batches have, also all at once.
  std::shared_ptr<const SampledMembers> members = nullptr;
  /// Bind and Mask are refused where they cannot be; results agree to rounding.
  BatchWay batch_way = BatchWay::Choose;
  /// Each batch a Program of its own, restricted from the whole, also where the backend binds
  /// batches: the oracle of tests.
  bool restricts_batches = false;
  BatchSide batch_side = BatchSide::Choose;
  BatchValues batch_values = BatchValues::Choose;  ///< Compact: batches are bound, or refused
  OptimizeOptions optimize;  ///< for the step Program of all samples; batches take it over
  /// Looked in for steps before they are made; null: they are made. Results are the same.
  std::shared_ptr<StepStore> steps = nullptr;
};

/// Where a training stands: after `batch` batches of epoch `epoch` (both counted from 0), `step`
/// steps in all.
struct TrainPosition {
  std::uint64_t epoch = 0;
  std::uint64_t batch = 0;
  std::uint64_t step = 0;
  bool operator==(const TrainPosition&) const = default;
};

/// Where the first number that is not finite was made.
struct NonFinite {
  TrainPosition position;  ///< before the step that made it
  std::string op;          ///< `%7 linear "h1/2: weighted rule"`, escaped
  std::uint32_t row = 0;
};

/// How the steps of a training come about.
struct BatchReport {
  std::string_view way = "all";  ///< all: no batches; bind; mask, of the batches that reach
                                 ///< all parameters; restrict: each a program of its own
  std::uint64_t samples = 0;     ///< of a batch, at most
  std::uint64_t drawn_of = 0;    ///< samples of an epoch
  std::uint64_t left_out = 0;    ///< samples to train on that have no target, in no batch
  BatchBytes bytes;              ///< bind: what the next batch takes
  std::uint64_t step_bytes = 0;  ///< what the backend holds for steps
};

/// What an epoch came to.
struct TrainedEpoch {
  double rate = 0;
  double loss = 0;  ///< as Trainer::epoch_loss()
};

class Trainer {
 public:
  virtual ~Trainer() = default;

  /// How many batches an epoch has.
  [[nodiscard]] virtual std::uint64_t batch_count() const = 0;
  [[nodiscard]] virtual TrainPosition position() const = 0;
  /// The learning rate of the last step; before the first, that of the first.
  [[nodiscard]] virtual double rate() const = 0;
  /// One batch. Errors: those of Backend::compile() and Executable::run().
  [[nodiscard]] virtual Result<void> step() = 0;
  /// So many, also of the next epochs, with the results of as many step()s: a GPU starts several
  /// short ones at once.
  [[nodiscard]] virtual Result<void> steps(std::uint64_t count);
  /// How many that is.
  [[nodiscard]] virtual std::uint64_t steps_at_once() const { return 1; }
  /// The next `count` epochs, whole, from where an epoch begins. With one batch an epoch the host
  /// does not wait for the device between them. Errors: those of step().
  [[nodiscard]] virtual Result<std::vector<TrainedEpoch>> epochs(std::uint32_t count) = 0;
  /// The mean error of the samples (of the pairs) of the steps of this epoch so far, each before
  /// its own update; after the last batch, of the whole epoch until the next step.
  [[nodiscard]] virtual Result<double> epoch_loss() = 0;

  /// For the ExecutionOptions of what is to run with the weights of now (an Evaluator).
  [[nodiscard]] virtual std::shared_ptr<Storage> storage() const = 0;
  /// What the backend holds for the batches that are compiled, Executable::bytes() of all, and
  /// BoundBatch::bytes() of those that are bound.
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;

  /// Of the steps so far, those that bound batches.
  [[nodiscard]] virtual BatchCounts batch_counts() const { return {}; }
  /// Of the next step; binds its batch. Errors: those of step().
  [[nodiscard]] virtual Result<BatchReport> batch_report() = 0;

  /// Everything that the next step depends on: parameters by their names, states as
  /// `state/NAME`, and the position in the metadata. restore() of it goes on bit for bit.
  [[nodiscard]] Result<WeightFile> save();
  /// The same a tensor at a time, with the metadata at the end.
  [[nodiscard]] virtual Result<std::vector<MetadataEntry>> save_to(const PlaceTensor& place) = 0;
  /// Errors: WeightsDiffer for everything in the source that does not fit, or is not there; those
  /// of reading it, after which some tensors are as before.
  [[nodiscard]] virtual Result<void> restore(const WeightSource& source) = 0;
  [[nodiscard]] Result<void> restore(const WeightFile& file);

  /// The parameters' values, by the graph's weight tables: replaces theirs.
  [[nodiscard]] virtual Result<void> copy_weights_to(NeuronGraph& graph) = 0;

  /// Runs again from `good` (a save() of when all was finite) to the step that makes the first
  /// number that is not finite, and finds it; none if no step up to the position of now does. The
  /// weights are then those before that step.
  [[nodiscard]] virtual Result<std::optional<NonFinite>> find_non_finite(
      const WeightSource& good) = 0;
  [[nodiscard]] Result<std::optional<NonFinite>> find_non_finite(const WeightFile& good);
};

/// `program`: the forward Program of the graph's samples, optimized or not; `samples`: those to
/// train on, each once; execution.expected_runs: epochs, those before a resume too. All must
/// outlive the trainer. Errors: Usage (no sample, none with a target; options out of range),
/// BadSample, those of append_loss(), append_gradients(), append_step(), optimize() and
/// Backend::compile().
[[nodiscard]] Result<std::unique_ptr<Trainer>> make_trainer(const NeuronGraph& graph,
                                                            const Program& program,
                                                            const Backend& backend,
                                                            const ExecutionOptions& execution,
                                                            const TrainOptions& options,
                                                            std::vector<std::uint32_t> samples);

/// Loss and metrics of some samples, with the weights of now.
class Evaluator {
 public:
  struct Evaluation {
    double loss = 0;  ///< mean error of the samples (pairs) that count; NaN if none does
    Metrics metrics;
  };
  virtual ~Evaluator() = default;
  /// Errors: those of Executable::run().
  [[nodiscard]] virtual Result<Evaluation> evaluate() = 0;
  /// As Trainer::bytes().
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
  /// What the first batch takes, of an evaluation in batches; else zeros. Errors: those of
  /// Executable::bind_batch().
  [[nodiscard]] virtual Result<BatchBytes> batch_bytes() { return BatchBytes(); }
};

/// `program`: the forward Program of the graph's samples; execution.storage: that of a trainer,
/// whose parameters are taken by name; execution.expected_runs: evaluations; both graphs may be
/// one. `batch_size`: so many samples at a time, in their memory (ForwardBatches); 0: all at once.
/// Outputs are the same, the loss is to rounding. The graph must outlive the evaluator. Errors:
/// those of loss_samples(), append_loss(), Backend::compile() and ForwardBatches::compile(); Usage
/// (batches, and a loss of pairs).
[[nodiscard]] Result<std::unique_ptr<Evaluator>> make_evaluator(
    const NeuronGraph& graph, const Program& program, const Backend& backend,
    const ExecutionOptions& execution, const LossOptions& loss, std::vector<std::uint32_t> samples,
    std::uint32_t batch_size = 0);

}  // namespace vecc
