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

/// What a graph's targets say.
enum class TargetKind : std::uint8_t {
  None,     ///< there are none
  Classes,  ///< one class a sample: a scalar 0 or 1, or a vector with a single 1 among zeros
  Labels,   ///< any number of classes a sample: vectors of 0 and 1
  Numbers,  ///< anything else
};
[[nodiscard]] TargetKind target_kind(const NeuronGraph& graph);

/// Of some samples; a metric that does not apply to them is absent.
struct Metrics {
  std::uint64_t samples = 0;  ///< with a target, or with a role
  std::optional<double> accuracy;
  std::optional<double> auroc;     ///< area under the ROC curve; ties count half
  std::optional<double> aupr;      ///< average precision
  std::optional<double> f1_macro;  ///< mean F1 of the classes
  std::optional<double> mae;       ///< mean absolute error
  std::optional<double> rmse;      ///< root of the mean squared error
  std::optional<double> r2;        ///< coefficient of determination
  // Among the negatives of a group, which were drawn: far above what ranks among all candidates.
  std::optional<double> sampled_mrr;  ///< mean reciprocal rank
  std::optional<double> sampled_hits1;
  std::optional<double> sampled_hits3;
  std::optional<double> sampled_hits10;
  std::optional<double> sampled_map10;        ///< mean average precision of the first ten
  std::optional<double> sampled_precision10;  ///< positives among the first ten, of ten
  std::optional<double> sampled_recall10;     ///< positives among the first ten, of all
  // Among all candidates, other ones that are known to answer left out: of vecc-kg.
  std::optional<double> filtered_mrr;
  std::optional<double> filtered_hits1;
  std::optional<double> filtered_hits3;
  std::optional<double> filtered_hits10;
};
/// Name and value of each, in the order of the struct: accuracy, auroc, ...
[[nodiscard]] std::vector<std::pair<std::string_view, std::optional<double>>> fields_of(
    const Metrics& metrics);
/// The same of those that are there.
[[nodiscard]] std::vector<std::pair<std::string_view, double>> values_of(const Metrics& metrics);

struct MetricsOptions {
  /// Outputs are logits: a scalar above 0 is class 1, not one above 0.5; the scores of classes are
  /// the softmax of a vector.
  bool logits = false;
};

/// outputs[i] is the output of the graph's sample samples[i]. By the targets of the whole graph:
///   - Classes: of a scalar output above the threshold, of a vector that of the largest entry (the
///     first on ties). accuracy; f1_macro, the mean of 2 TP / (2 TP + FP + FN) of the classes that
///     targets or predictions have; auroc and aupr of class 1, or the mean of each class against
///     the rest, of the classes that some targets have and some have not;
///   - Labels: each entry above the threshold is a label. accuracy is the share of samples with all
///     labels right; the others are means over labels as above;
///   - Numbers: mae, rmse and r2, means over the elements; r2 of those whose targets differ. No
///     accuracy. Absent where an output is not finite;
///   - roles in groups: every positive's rank among itself and the negatives of its group by score,
///     1 is best; a negative with the same score counts half. sampled_mrr and sampled_hits are
///     means over positives. sampled_map10, sampled_precision10 and
///     sampled_recall10 are means over groups with a positive,
///     as RelBench has them (Robinson et al. 2024): of all samples of a group by falling score,
///     negatives first among equals; the average precision is the sum over the positives among the
///     first ten of the precision up to each, divided by the smaller of ten and their number.
/// A NaN output is never right and ranks last.
[[nodiscard]] Metrics measure(const NeuronGraph& graph, std::span<const std::uint32_t> samples,
                              std::span<const Executable::Output> outputs,
                              const MetricsOptions& options = {});

/// Bytes that measure() takes at most beside its arguments, of `samples` samples whose outputs have
/// `elements` elements in all.
[[nodiscard]] std::uint64_t bytes_to_measure(const NeuronGraph& graph, std::uint64_t samples,
                                             std::uint64_t elements);

/// e^x / sum of e^x, with no exponential above 1.
[[nodiscard]] std::vector<double> softmax_of(std::span<const double> logits);

}  // namespace vecc
