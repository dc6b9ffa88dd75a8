// The order in which the reference evaluates neurons.
#pragma once

#include <vector>

#include "vecc/error.h"
#include "vecc/neuron_graph.h"

namespace vecc::reference {

/// All neurons, inputs before their readers. Errors: Cycle, naming one neuron on it.
[[nodiscard]] Result<std::vector<NeuronId>> evaluation_order(const NeuronGraph& graph);

}  // namespace vecc::reference
