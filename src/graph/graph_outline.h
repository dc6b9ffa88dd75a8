// What is left of a graph when its Program is there: samples, targets, weight tables, vocabularies
// and sizes, in a file of columns. No neuron, edge or group.
#pragma once

#include <cstdint>
#include <span>

#include "src/support/column_file.h"
#include "vecc/neuron_graph.h"

namespace vecc {

/// For reports.
struct GraphSizes {
  std::uint64_t neurons = 0;
  std::uint64_t edges = 0;
  std::uint64_t groups = 0;
  std::uint64_t bytes = 0;  ///< in memory
  bool operator==(const GraphSizes&) const = default;
};
[[nodiscard]] GraphSizes sizes_of(const NeuronGraph& graph);

/// Leaves of a graph what its outline has: its memory is that of the neurons no longer.
void forget_neurons(NeuronGraph& graph);

struct GraphOutline {
  /// Without neurons: outputs of samples are numbers below sizes.neurons.
  NeuronGraph graph;
  GraphSizes sizes;
};

/// Adds three columns; the number of the first. `sizes`: the graph's when it had its neurons;
/// `tables`: its own, with the values that the outline is to have.
std::uint32_t write_outline(const NeuronGraph& graph, const GraphSizes& sizes,
                            std::span<const WeightTable> tables, ColumnWriter& writer);
/// Weights cost no bytes in a file, and must not cost memory either: so many at most in one of so
/// many bytes.
[[nodiscard]] std::uint64_t most_weights(std::uint64_t file_bytes);
/// Errors: WrongCounts, if columns `first` to `first` + 2 are no outline.
[[nodiscard]] Result<GraphOutline> read_outline(const ColumnFile& file, std::uint64_t first);

}  // namespace vecc
