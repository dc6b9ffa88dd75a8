// One graph with typed edges, and typed nodes where the data has them: a knowledge graph, an RDF
// graph, a heterogeneous graph.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "vecc/neuron_graph.h"

namespace vecc::tools {

/// Dense features of the nodes of one type, row by row in node order; `dim` 0: none.
struct NodeFeatures {
  std::uint32_t dim = 0;
  std::vector<double> values;
};

/// A labelled node; several labels of one node (multi-label data) are several entries.
struct NodeLabel {
  std::uint32_t node = 0;
  std::uint32_t label = 0;  ///< index into label_names
  Split split = Split::Unspecified;
};

/// Nodes 0 .. node_count-1, edges `source -relation-> target` in file order (no repeated ones), and
/// what is known of the nodes. All names are data: escape them for every sink.
struct TypedGraph {
  std::string name;  ///< "FB15k-237"
  std::uint32_t node_count = 0;
  StringColumn node_names;               ///< node_count, or none
  std::vector<std::uint16_t> node_type;  ///< by node, or empty: all of type 0
  StringColumn node_type_names;          ///< at least one
  std::vector<std::uint32_t> source;     ///< by edge
  std::vector<std::uint32_t> target;     ///< by edge
  std::vector<std::uint32_t> relation;   ///< by edge
  std::vector<Split> edge_split;         ///< by edge, or empty: no split
  StringColumn relation_names;
  std::vector<NodeFeatures> features;  ///< by node type, or empty: none at all
  std::vector<NodeLabel> labels;
  StringColumn label_names;
  std::uint64_t dropped_edges = 0;  ///< repeated edges of the files, left out

  [[nodiscard]] std::uint64_t edge_count() const { return source.size(); }
  [[nodiscard]] std::uint32_t relation_count() const {
    return static_cast<std::uint32_t>(relation_names.size());
  }
  [[nodiscard]] std::uint32_t type_of(std::uint32_t node) const {
    return node_type.empty() ? 0 : node_type[node];
  }
};

}  // namespace vecc::tools
