// What a module of Python is told of the graph.
#pragma once

#include "options.h"
#include "vecc/emit_python.h"
#include "vecc/neuron_graph.h"

namespace vecc::tools {

/// Weights, samples as vecc prints them, and the loss that training would have (--loss, or the one
/// that fits the samples), if there are samples to learn from. Errors: those of weights_of().
[[nodiscard]] Result<PythonOptions> module_options(const NeuronGraph& graph, const Program& program,
                                                   const Options& options);

}  // namespace vecc::tools
