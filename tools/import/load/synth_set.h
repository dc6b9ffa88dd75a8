// Random sets of small graphs that are built like molecules, of any size.
#pragma once

#include <cstdint>

#include "tools/import/load/graph_set.h"
#include "vecc/error.h"

namespace vecc::tools {

struct SynthSetOptions {
  std::uint32_t graphs = 0;
  std::uint32_t nodes = 24;  ///< of a graph, on average
  std::int64_t seed = 0;
};
/// `graphs` connected graphs of nodes/2 to nodes*3/2 nodes each, equally often; the same for the
/// same options on every machine. A node has at most 4 neighbours: a chain with branches, a sixth
/// of whose nodes close a ring of at most six. Both directions of each edge. Node labels 0..6 are
/// as frequent as carbon, nitrogen, oxygen and others in organic molecules, edge labels 0..2 as
/// single, double and aromatic bonds. A graph is of class 1 if an edge joins the labels 1 and 2,
/// else of class 0: what a model can learn. Graphs of 20 nodes and more hardly ever repeat. Errors:
/// Usage (0 graphs or nodes), LimitNeurons (more nodes than 32-bit numbers can name), LimitEdges.
[[nodiscard]] Result<GraphSet> make_random_graph_set(const SynthSetOptions& options);

}  // namespace vecc::tools
