// --load-weights and --save-weights: a graph's weights from a file, and to one. --bind-facts and
// --load-facts: facts as inputs.
#pragma once

#include <string>
#include <vector>

#include "options.h"
#include "tools/common/stages.h"
#include "vecc/neuron_graph.h"
#include "vecc/weights.h"

namespace vecc::tools {

/// Before any work: whether the files that will be written can hold the names of the graph's
/// tables. Errors: those of check_table_names().
[[nodiscard]] Result<void> check_saved_names(const NeuronGraph& graph, const Options& options);

/// The stage `load`, if it is asked for; its words list what only the file or only the
/// graph has. Errors: those of read_weights() and load_weights().
[[nodiscard]] Result<void> load_graph_weights(NeuronGraph& graph, const Options& options,
                                              Stages& stages);

/// The stage `save`; nothing for an empty path. Facts are no weights. `metadata`: more of them.
/// Errors: those of weights_of() and write_weights().
[[nodiscard]] Result<void> save_graph_weights(const NeuronGraph& graph, const BoundFacts& facts,
                                              const std::string& path, Stages& stages,
                                              const std::vector<MetadataEntry>& metadata = {});

/// The stage `program`: options.save_program, of a graph with weights that were trained by `loss`
/// (empty: unknown); nothing for an empty path. Errors: those of Template::of() and write().
[[nodiscard]] Result<void> save_graph_program(const NeuronGraph& graph, const Options& options,
                                              std::string loss, Stages& stages);

/// The stage `bind`, if it is asked for: options.bind_facts become options.facts, with the values
/// of options.load_facts. Errors: those of bind_facts(), read_weights() and load_facts().
[[nodiscard]] Result<void> bind_graph_facts(NeuronGraph& graph, Options& options, Stages& stages);

}  // namespace vecc::tools
