// Sizes of a graph and of a Program, for reports.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "src/graph/graph_outline.h"
#include "vecc/neuron_graph.h"
#include "vecc/program.h"

namespace vecc::tools {

/// neurons, edges, groups, weights, samples, bytes (in memory), and the names of each vocabulary.
[[nodiscard]] nlohmann::ordered_json json_of(const NeuronGraph& graph);
/// The same of a graph of which only an outline is left.
[[nodiscard]] nlohmann::ordered_json json_of(const NeuronGraph& graph, const GraphSizes& sizes);
/// dtype, ops, rows, bytes of values, indices and parameters, and ops by kind.
[[nodiscard]] nlohmann::ordered_json json_of(const Program& program);

/// A table of an object's numbers, one a line: `program.rows  95,000`. Keys that end in `bytes`
/// are shown as sizes, lists by how many they have.
[[nodiscard]] std::string table_of(const nlohmann::ordered_json& object);

/// JSON text of anything a tool prints: ASCII only, so that no name in it can do harm; bytes that
/// are no UTF-8 become U+FFFD. `indent` -1: one line.
[[nodiscard]] std::string dump_json(const nlohmann::ordered_json& value, int indent = 2);

}  // namespace vecc::tools
