// Names of weight tables as keys of safetensors.
#pragma once

#include "vecc/error.h"
#include "vecc/neuron_graph.h"

namespace vecc::weights {

/// Whether safetensors can hold the names of all tables: UTF-8, and not the key that it has for
/// itself. Error: UnreadWeights, of each that it cannot.
[[nodiscard]] Result<void> check_table_names(const NeuronGraph& graph);

}  // namespace vecc::weights
