// Whether two graphs say the same, neuron by neuron, however their columns are cut into ranges.
#pragma once

#include <string>

#include "vecc/neuron_graph.h"

namespace vecc::test {

/// The first difference, or "".
[[nodiscard]] std::string graph_difference(const NeuronGraph& a, const NeuronGraph& b);

}  // namespace vecc::test
