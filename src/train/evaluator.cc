// Loss and metrics of some samples: one run of a Program that has no others.
#include <algorithm>
#include <limits>
#include <utility>

#include "vecc/batch_program.h"
#include "vecc/step_inputs.h"
#include "vecc/train.h"

namespace vecc {
namespace {

class SampleEvaluator final : public Evaluator {
 public:
  SampleEvaluator(const NeuronGraph& graph, LossOptions loss, std::vector<std::uint32_t> samples)
      : graph_(graph), loss_(loss), samples_(std::move(samples)) {
    loss_.reduction = Reduction::Mean;
  }

  Result<void> prepare(const Program& forward, const Backend& backend, ExecutionOptions execution) {
    metrics_.logits = outputs_are_logits(forward, loss_.loss);
    Program program = is_whole(forward) ? forward : BatchProgram(forward).restrict_to(samples_);
    VECC_TRY(const LossSamples chosen, loss_samples(graph_, program, {samples_, {}}, loss_));
    counts_ = std::ranges::any_of(chosen.weights, [](double weight) { return weight != 0; });
    if (counts_) {
      VECC_TRY(const LossOps ops, append_loss(program, chosen, loss_));
      total_ = ops.total;
      execution.kept = {total_};
      execution.own_parameters = own_parameters(ops);
    }
    // What a training sets of them is not for this.
    for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
      if (is_step_input(program.parameters()[p].name)) execution.own_parameters.push_back(p);
    }
    VECC_TRY(executable_, backend.compile(program, execution));
    return {};
  }

  Result<Evaluation> evaluate() override {
    VECC_TRY_VOID(executable_->run());
    Evaluation result;
    result.loss = std::numeric_limits<double>::quiet_NaN();
    if (counts_) {
      VECC_TRY(const std::vector<double> total, executable_->read(total_));
      result.loss = total.front();
    }
    VECC_TRY(const auto outputs, executable_->outputs());
    result.metrics = measure(graph_, samples_, outputs, metrics_);
    return result;
  }

  [[nodiscard]] std::uint64_t bytes() const override { return executable_->bytes(); }

 private:
  // Whether nothing has to be left out: all samples in their order, and no update.
  [[nodiscard]] bool is_whole(const Program& forward) const {
    if (samples_.size() != forward.sample_count()) return false;
    const bool updates = std::ranges::any_of(
        forward.ops(), [](const Op& op) { return op.kind() == OpKind::Update; });
    return !updates && std::ranges::is_sorted(samples_);
  }

  const NeuronGraph& graph_;
  LossOptions loss_;
  std::vector<std::uint32_t> samples_;
  MetricsOptions metrics_;
  std::unique_ptr<Executable> executable_;
  ValueId total_ = 0;
  bool counts_ = false;
};

}  // namespace

Result<std::unique_ptr<Evaluator>> make_evaluator(const NeuronGraph& graph, const Program& program,
                                                  const Backend& backend,
                                                  const ExecutionOptions& execution,
                                                  const LossOptions& loss,
                                                  std::vector<std::uint32_t> samples) {
  auto evaluator = std::make_unique<SampleEvaluator>(graph, loss, std::move(samples));
  VECC_TRY_VOID(evaluator->prepare(program, backend, execution));
  return std::unique_ptr<Evaluator>(std::move(evaluator));
}

}  // namespace vecc
