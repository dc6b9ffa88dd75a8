// Loss and metrics of some samples of a Program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "choose_samples.h"
#include "vecc/train.h"

namespace vecc::tools {

struct SampleEvaluation {
  Loss loss = Loss::SquaredDiff;
  Evaluator::Evaluation evaluation;

  /// `softentropy of softmax outputs; 31 samples, split test`
  [[nodiscard]] std::string describe(const Program& program, SplitChoice split) const;
};

/// `loss`: none for that of choose_loss(); `batch_size`: make_evaluator()'s. Errors: BadSample (no
/// sample has a target or a role); those of make_evaluator() and Evaluator::evaluate().
[[nodiscard]] Result<SampleEvaluation> evaluate_samples(
    const NeuronGraph& graph, const Program& program, const Backend& backend,
    const ExecutionOptions& execution, std::optional<Loss> loss,
    const std::vector<std::uint32_t>& samples, std::uint32_t batch_size = 0);

}  // namespace vecc::tools
