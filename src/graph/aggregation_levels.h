// How far aggregations are from the outputs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "vecc/neuron_graph.h"

namespace vecc::graph {

/// Whether the neurons of a range aggregate (by their class).
[[nodiscard]] bool is_aggregation(const NeuronGraph& graph, std::uint32_t range);
/// Whether a range's neurons are softmaxes or sparsemaxes of their members, which others read entry
/// by entry.
[[nodiscard]] bool is_softmax_aggregation(const NeuronGraph& graph, std::uint32_t range);

/// Attention: an aggregation whose members are all products with an entry of a softmax over
/// members.
///
///   alpha(Y,X) :- s(Y,X).         [softmax over Y]        softmaxes
///   h(X) :- alpha(Y,X), z(Y).     [sum]                   readers
///
/// A member that the softmax does not draw is 0 in the reader.
struct Attention {
  std::vector<bool> readers;    ///< by neuron
  std::vector<bool> softmaxes;  ///< by neuron: that a reader reads an entry of
};
[[nodiscard]] Attention find_attention(const NeuronGraph& graph);

/// The neuron of a softmax that `entry` is an entry of (AtIndex), and which of its elements; none
/// if it is something else.
struct SoftmaxEntry {
  NeuronId softmax = 0;
  std::uint32_t element = 0;
};
[[nodiscard]] std::optional<SoftmaxEntry> find_softmax_entry(const NeuronGraph& graph,
                                                             NeuronId entry);

/// By neuron: the largest number of aggregations by sum, mean, max, min, softmax or sparsemax on a
/// way from it to an output; such an aggregation itself counts, and so does any other aggregation,
/// itself alone. Softmaxes of an attention do not count beside their reader. 0 where no sample
/// depends on it, or no such aggregation is on the way. Time linear in neurons and edges.
[[nodiscard]] std::vector<std::uint32_t> aggregation_levels(const NeuronGraph& graph,
                                                            const Attention& attention);

}  // namespace vecc::graph
