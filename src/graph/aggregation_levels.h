// How far aggregations are from the outputs.
#pragma once

#include <cstdint>
#include <vector>

#include "vecc/neuron_graph.h"

namespace vecc::graph {

/// Whether the neurons of a range aggregate (by their class).
[[nodiscard]] bool is_aggregation(const NeuronGraph& graph, std::uint32_t range);
/// The same, by sum or mean.
[[nodiscard]] bool is_summed_aggregation(const NeuronGraph& graph, std::uint32_t range);

/// By neuron: the largest number of aggregations by sum or mean on a way from it to an output; such
/// an aggregation itself counts, and so does any other aggregation, itself alone. 0 where no
/// sample depends on it, or no such aggregation is on the way. Time linear in neurons and edges.
[[nodiscard]] std::vector<std::uint32_t> aggregation_levels(const NeuronGraph& graph);

}  // namespace vecc::graph
