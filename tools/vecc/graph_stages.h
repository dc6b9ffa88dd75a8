// The first stages of every command that takes a graph: from a file to a Program.
#pragma once

#include <string_view>

#include "options.h"
#include "tools/common/stages.h"
#include "vecc/neuron_graph.h"
#include "vecc/vectorize.h"

namespace vecc::tools {

/// Stage `import`. Errors: those of read_graph().
[[nodiscard]] Result<NeuronGraph> import_graph(const Options& options, Stages& stages);
/// Stage `initialize`: gives values to the weights that have none, where that is asked for.
void initialize_graph(NeuronGraph& graph, const Options& options, Stages& stages);
/// Stage `vectorize`. Errors: those of vectorize().
[[nodiscard]] Result<Vectorized> vectorize_graph(const NeuronGraph& graph, const Options& options,
                                                 Stages& stages);
/// Gives a Program's parameters the values of the graph's weight tables that have some.
void give_weights(const NeuronGraph& graph, Program& program);
/// The same errors with the way out for weights without values.
[[nodiscard]] Errors add_way_out(const Errors& errors, std::string_view way_out);

}  // namespace vecc::tools
