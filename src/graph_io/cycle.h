// Cycles among neurons.
#pragma once

#include <vector>

#include "src/graph_io/error_list.h"
#include "vecc/neuron_graph.h"

namespace vecc::graph_io {

/// The neurons of one cycle, each reading the next and the last reading the first; empty if the
/// graph has none. Linear; where every neuron reads only smaller ids, one scan.
[[nodiscard]] std::vector<NeuronId> find_cycle(const NeuronGraph& graph);

/// Reports a cycle, if there is one, by the file's ids: `cycle: 3 -> 7 -> 3`.
void check_acyclic(const NeuronGraph& graph, ErrorList& errors);

}  // namespace vecc::graph_io
