// What emitted code is told of the graph. (The option --emit: tools/common/emit.h.)
#pragma once

#include "options.h"
#include "tools/common/emit.h"
#include "vecc/neuron_graph.h"

namespace vecc::tools {

/// For --emit=python, cpp and cuda; empty for other kinds. Weights, samples as vecc prints them;
/// for Python also the loss that training would have (--loss, or the one that fits the samples), if
/// there are samples to learn from. Errors: those of weights_of().
[[nodiscard]] Result<EmittedCode> describe_graph(const NeuronGraph& graph, const Program& program,
                                                 const Options& options);

}  // namespace vecc::tools
