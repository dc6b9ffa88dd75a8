// How good predictions are: what training prints beside the loss.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "vecc/backend.h"
#include "vecc/neuron_graph.h"

namespace vecc {

/// Of some samples; a metric that does not apply to them is absent.
struct Metrics {
  std::uint64_t samples = 0;  ///< with a target, or with a role
  std::optional<double> accuracy;
  std::optional<double> auroc;  ///< area under the ROC curve; ties count half
  std::optional<double> aupr;   ///< average precision
  std::optional<double> mrr;    ///< mean reciprocal rank
  std::optional<double> hits1;
  std::optional<double> hits3;
  std::optional<double> hits10;
};
/// Name and value of each, in the order of the struct: accuracy, auroc, ...
[[nodiscard]] std::vector<std::pair<std::string_view, std::optional<double>>> fields_of(
    const Metrics& metrics);
/// The same of those that are there.
[[nodiscard]] std::vector<std::pair<std::string_view, double>> values_of(const Metrics& metrics);

struct MetricsOptions {
  /// A scalar output above this is class 1: 0.5 for probabilities, 0 for logits.
  double threshold = 0.5;
};

/// outputs[i] is the output of the graph's sample samples[i].
///   - scalar targets: accuracy of (output > threshold) against (target > 0.5); auroc and aupr if
///     both classes are there;
///   - longer targets: accuracy of the largest entry's place, the first on ties;
///   - roles in groups: every positive's rank among itself and the negatives of its group by score,
///     1 is best; a negative with the same score counts half. mrr and hits are means over
///     positives.
/// A NaN output is never right and ranks last.
[[nodiscard]] Metrics measure(const NeuronGraph& graph, std::span<const std::uint32_t> samples,
                              std::span<const Executable::Output> outputs,
                              const MetricsOptions& options = {});

}  // namespace vecc
