// Which samples of a graph are trained on, and which validated with.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vecc/error.h"
#include "vecc/neuron_graph.h"
#include "vecc/optimize.h"

namespace vecc::tools {

struct SampleSplit {
  std::vector<std::uint32_t> training;    ///< rising
  std::vector<std::uint32_t> validation;  ///< rising; may be empty
};

/// As the graph marks them: those for training and those without a mark; those for validation.
/// Samples for tests are in neither.
[[nodiscard]] SampleSplit marked_split(const NeuronGraph& graph);
/// A part of the training samples, drawn by a seed, validates. Samples of one group stay together.
/// Error: Usage (a side would be empty).
[[nodiscard]] Result<SampleSplit> fraction_split(const NeuronGraph& graph, double fraction,
                                                 std::uint64_t seed);
/// `folds` splits: each sample that is not for tests validates in one of them. Error: Usage (fewer
/// samples, or groups of them, than folds).
[[nodiscard]] Result<std::vector<SampleSplit>> fold_splits(const NeuronGraph& graph,
                                                           std::uint32_t folds, std::uint64_t seed);

/// Of the file that --validate names: all samples but those for tests.
[[nodiscard]] std::vector<std::uint32_t> samples_to_validate(const NeuronGraph& graph);

/// Which samples these are, with targets, weights, groups and roles.
[[nodiscard]] Fingerprint fingerprint_samples(const NeuronGraph& graph,
                                              std::span<const std::uint32_t> samples);

}  // namespace vecc::tools
