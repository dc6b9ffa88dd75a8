#include "evaluate_samples.h"

#include <algorithm>

#include "choose_loss.h"
#include "src/support/quantity_text.h"

namespace vecc::tools {

std::string SampleEvaluation::describe(const Program& program, SplitChoice split) const {
  return describe_loss(program, loss) + "; " + text_of_count(evaluation.metrics.samples, "sample") +
         ", split " + std::string(text_of(split));
}

Result<SampleEvaluation> evaluate_samples(const NeuronGraph& graph, const Program& program,
                                          const Backend& backend, const ExecutionOptions& execution,
                                          std::optional<Loss> loss,
                                          const std::vector<std::uint32_t>& samples,
                                          std::uint32_t batch_size) {
  const bool any = std::ranges::any_of(samples, [&](std::uint32_t s) {
    return graph.samples[s].has_target || graph.samples[s].role != Role::Unspecified;
  });
  if (!any) {
    return Errors(ErrorCode::BadSample, "evaluate",
                  "none of " + text_of_count(samples.size(), "sample") +
                      " has a target to compare with; vecc predict prints what they are predicted "
                      "as");
  }
  LossOptions options;
  options.loss = loss.value_or(choose_loss(graph, program));
  ExecutionOptions once = execution;
  once.expected_runs = 1;
  VECC_TRY(const auto evaluator,
           make_evaluator(graph, program, backend, once, options, samples, batch_size));
  VECC_TRY(const Evaluator::Evaluation evaluation, evaluator->evaluate());
  return SampleEvaluation{options.loss, evaluation};
}

}  // namespace vecc::tools
