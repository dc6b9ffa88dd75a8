// Loss and metrics of some samples: one run of a Program that has no others, or batches of it.
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "src/support/list_threads.h"
#include "src/support/long_list.h"
#include "src/support/timed_stage.h"
#include "src/train/class_vectors.h"
#include "src/train/loss_state.h"
#include "src/train/sample_weights.h"
#include "vecc/batch_program.h"
#include "vecc/forward_batches.h"
#include "vecc/step_inputs.h"
#include "vecc/train.h"

namespace vecc {
namespace {

// Another state than the steps', which share the storage.
constexpr const char* kEvaluationLoss = "evaluation.loss";

// Whether nothing has to be left out: all samples in their order, and no update.
bool is_whole(const Program& forward, std::span<const std::uint32_t> samples) {
  if (samples.size() != forward.sample_count()) return false;
  const bool updates =
      std::ranges::any_of(forward.ops(), [](const Op& op) { return op.kind() == OpKind::Update; });
  return !updates && std::ranges::is_sorted(samples);
}

class SampleEvaluator : public Evaluator {
 public:
  SampleEvaluator(const NeuronGraph& graph, LossOptions loss, std::vector<std::uint32_t> samples)
      : graph_(graph), loss_(loss), samples_(std::move(samples)) {
    loss_.reduction = Reduction::Mean;
  }

  Result<void> prepare(const Program& forward, const Backend& backend, ExecutionOptions execution) {
    threads_ = execution.threads;
    // What is computed in double is measured so.
    dtype_ = backend.name() == "interpreter" ? DType::F64 : forward.dtype();
    metrics_.logits = outputs_are_logits(forward, loss_.loss);
    Program program =
        is_whole(forward, samples_) ? forward : BatchProgram(forward).restrict_to(samples_);
    if (copies_outputs()) {
      const ListThreads threads = list_threads();
      class_vectors_ = training::class_vector_size(graph_, samples_, program);
    }
    VECC_TRY(LossSamples chosen, loss_samples(graph_, program, {samples_, {}}, loss_));
    counts_ = std::ranges::any_of(chosen.weights, [](double weight) { return weight != 0; });
    if (counts_) VECC_TRY_VOID(append(program, std::move(chosen), loss_, execution));
    // What a training sets of them is not for this.
    for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
      if (is_step_input(program.parameters()[p].name)) execution.own_parameters.push_back(p);
    }
    return compile(program, backend, execution);
  }

  Result<Evaluation> evaluate() override {
    const TimedStage stage("evaluate");
    if (class_vectors_ == 0) return evaluate_outputs();
    return dtype_ == DType::F32 ? evaluate_class_vectors<float>()
                                : evaluate_class_vectors<double>();
  }

 protected:
  // Appends the loss.
  virtual Result<void> append(Program& program, LossSamples chosen, const LossOptions& loss,
                              ExecutionOptions& execution) = 0;
  virtual Result<void> compile(const Program& program, const Backend& backend,
                               const ExecutionOptions& execution) = 0;
  // `loss`: where it goes, or null.
  virtual Result<std::vector<Executable::Output>> run(double* loss) = 0;
  // Whether there are these two: the same, its outputs' elements are then copied to where they go.
  [[nodiscard]] virtual bool copies_outputs() const { return false; }
  virtual Result<void> run_alone(double*) { return {}; }
  virtual Result<void> copy_outputs(Executable::OutputElements) { return {}; }
  // For what follows a run: while one computes, its own threads have the cores.
  [[nodiscard]] ListThreads list_threads() const { return ListThreads(threads_); }

 private:
  Result<Evaluation> evaluate_outputs() {
    Evaluation result = not_counted();
    VECC_TRY(const auto outputs, run(counts_ ? &result.loss : nullptr));
    const ListThreads threads = list_threads();
    result.metrics = measure(graph_, samples_, outputs, metrics_);
    return result;
  }
  // Millions of outputs in one piece of memory, not each in one of its own.
  template <class T>
  Result<Evaluation> evaluate_class_vectors() {
    Evaluation result = not_counted();
    VECC_TRY_VOID(run_alone(counts_ ? &result.loss : nullptr));
    const ListThreads threads = list_threads();
    std::vector<T> elements = unset_list<T>(samples_.size() * class_vectors_);
    VECC_TRY_VOID(copy_outputs(std::span(elements)));
    result.metrics =
        training::measure_class_vectors(graph_, samples_, std::span<const T>(elements), metrics_);
    return result;
  }
  [[nodiscard]] static Evaluation not_counted() {
    Evaluation result;
    result.loss = std::numeric_limits<double>::quiet_NaN();
    return result;
  }

  const NeuronGraph& graph_;
  LossOptions loss_;
  std::vector<std::uint32_t> samples_;
  DType dtype_ = DType::F32;
  std::uint64_t class_vectors_ = 0;  // training::class_vector_size(), if outputs are copied
  MetricsOptions metrics_;
  std::uint32_t threads_ = 0;
  bool counts_ = false;
};

class WholeEvaluator final : public SampleEvaluator {
 public:
  using SampleEvaluator::SampleEvaluator;
  [[nodiscard]] std::uint64_t bytes() const override { return executable_->bytes(); }

 private:
  Result<void> append(Program& program, LossSamples chosen, const LossOptions& loss,
                      ExecutionOptions& execution) override {
    if (loss.loss == Loss::MarginRanking && chosen.pairs.empty()) {
      return Errors(ErrorCode::Usage, "margin_ranking",
                    "no pair of a positive and a negative sample");
    }
    VECC_TRY(const LossOps ops, append_loss(program, std::move(chosen), loss));
    total_ = ops.total;
    execution.kept = {total_};
    execution.own_parameters = own_parameters(ops);
    return {};
  }
  Result<void> compile(const Program& program, const Backend& backend,
                       const ExecutionOptions& execution) override {
    VECC_TRY(executable_, backend.compile(program, execution));
    return {};
  }
  Result<std::vector<Executable::Output>> run(double* loss) override {
    VECC_TRY_VOID(run_alone(loss));
    const ListThreads threads = list_threads();
    return executable_->outputs();
  }
  [[nodiscard]] bool copies_outputs() const override { return true; }
  Result<void> run_alone(double* loss) override {
    VECC_TRY_VOID(executable_->run());
    if (loss != nullptr) {
      VECC_TRY(const std::vector<double> total, executable_->read(total_));
      *loss = total.front();
    }
    return {};
  }
  Result<void> copy_outputs(Executable::OutputElements to) override {
    return executable_->copy_outputs(to);
  }

  std::unique_ptr<Executable> executable_;
  ValueId total_ = 0;
};

// A batch gives the weights of its samples; their errors are a state, which is read after each.
class BatchEvaluator final : public SampleEvaluator {
 public:
  BatchEvaluator(const NeuronGraph& graph, LossOptions loss, std::vector<std::uint32_t> samples,
                 std::uint32_t batch_size)
      : SampleEvaluator(graph, loss, std::move(samples)) {
    options_.batch_size = batch_size;
  }
  [[nodiscard]] std::uint64_t bytes() const override { return batches_->bytes(); }
  [[nodiscard]] Result<BatchBytes> batch_bytes() override { return batches_->first_bytes(); }

 private:
  Result<void> append(Program& program, LossSamples chosen, const LossOptions& loss,
                      ExecutionOptions& execution) override {
    rows_ = sample_rows(program);
    weights_ = std::exchange(chosen.weights, std::vector<double>(chosen.weights.size()));
    VECC_TRY(const LossOps ops, append_loss(program, std::move(chosen), loss));
    for (SampleRow& row : rows_) {
      row.output =
          static_cast<ValueId>(std::ranges::find(ops.outputs, row.output) - ops.outputs.begin());
    }
    training::append_loss_state(program, kEvaluationLoss, ops.total, /*divisor=*/1);
    execution.own_parameters = own_parameters(ops);
    options_.batch.weights = ops.weights;
    // In f32 a state of all batches would lose what a batch adds.
    options_.after_batch = [this]() -> Result<void> {
      VECC_TRY(const std::vector<double> batch, batches_->executable().state(kEvaluationLoss));
      sum_ += batch.front();
      return clear_loss();
    };
    options_.set_weights = [this](Batch& batch) {
      batch.weights.resize(options_.batch.weights.size());
      order_ = batch.samples;
      training::set_sample_weights(rows_, weights_, /*divisor=*/1, order_, batch.weights);
    };
    return {};
  }
  Result<void> compile(const Program& program, const Backend& backend,
                       const ExecutionOptions& execution) override {
    VECC_TRY(batches_, ForwardBatches::compile(program, backend, execution, options_));
    return {};
  }
  Result<std::vector<Executable::Output>> run(double* loss) override {
    if (loss == nullptr) return batches_->outputs();
    sum_ = 0;
    VECC_TRY_VOID(clear_loss());
    VECC_TRY(auto outputs, batches_->outputs());
    *loss = sum_;
    return outputs;
  }
  Result<void> clear_loss() {
    constexpr double kZero = 0;
    return batches_->executable().set_state(kEvaluationLoss, std::span(&kZero, 1));
  }

  ForwardBatches::Options options_;
  std::optional<ForwardBatches> batches_;
  std::vector<SampleRow> rows_;  // by sample; `output` is a number of the weights
  std::vector<double> weights_;  // by sample
  std::vector<std::uint32_t> order_;
  double sum_ = 0;  // the loss of the batches so far
};

Result<std::unique_ptr<Evaluator>> prepare(std::unique_ptr<SampleEvaluator> evaluator,
                                           const Program& program, const Backend& backend,
                                           const ExecutionOptions& execution) {
  VECC_TRY_VOID(evaluator->prepare(program, backend, execution));
  return std::unique_ptr<Evaluator>(std::move(evaluator));
}

}  // namespace

Result<std::unique_ptr<Evaluator>> make_evaluator(const NeuronGraph& graph, const Program& program,
                                                  const Backend& backend,
                                                  const ExecutionOptions& execution,
                                                  const LossOptions& loss,
                                                  std::vector<std::uint32_t> samples,
                                                  std::uint32_t batch_size) {
  if (batch_size == 0) {
    return prepare(std::make_unique<WholeEvaluator>(graph, loss, std::move(samples)), program,
                   backend, execution);
  }
  if (loss.loss == Loss::MarginRanking) {
    return Errors(ErrorCode::Usage, "evaluation in batches", "the loss is of pairs");
  }
  return prepare(std::make_unique<BatchEvaluator>(graph, loss, std::move(samples), batch_size),
                 program, backend, execution);
}

}  // namespace vecc
