// A part of a graph, for tests: what some of its samples reach.
#pragma once

#include <cstdint>
#include <span>

#include "vecc/neuron_graph.h"

namespace vecc::test {

/// A graph of these samples (each once, in this order) and the neurons that their outputs depend
/// on, in the graph's order; all groups and weight tables are as in `graph`, weight for weight.
[[nodiscard]] NeuronGraph graph_of_samples(const NeuronGraph& graph,
                                           std::span<const std::uint32_t> samples);

}  // namespace vecc::test
