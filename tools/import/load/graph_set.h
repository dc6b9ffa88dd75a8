// A set of small graphs with labels: molecules, proteins, threads (the TUDataset collection); or
// one graph whose nodes have them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vecc/neuron_graph.h"

namespace vecc::tools {

/// A node's label that none of the known ones is: no element of a one-hot vector. A class: none.
inline constexpr std::uint32_t kUnknownLabel = 0xFFFFFFFF;

/// Graph g has the nodes node_begin[g] .. node_begin[g+1]; nodes are numbered through the whole
/// set. Edges are directed, `source -> target`, both in the same graph, in file order; a file lists
/// both directions of an undirected edge. Labels that the files do not have are empty columns.
struct GraphSet {
  std::string name;                             ///< "MUTAG"; data: escape it for every sink
  std::vector<std::uint32_t> node_begin{0};     ///< graph_count + 1
  std::vector<std::uint32_t> source;            ///< by edge
  std::vector<std::uint32_t> target;            ///< by edge
  std::vector<std::uint32_t> node_labels;       ///< by node: index into node_label_values, or none
  std::vector<std::int64_t> node_label_values;  ///< distinct labels, the files' own ascending
  std::vector<std::uint32_t> edge_labels;       ///< by edge: index into edge_label_values
  std::vector<std::int64_t> edge_label_values;  ///< distinct labels of the file, ascending
  std::vector<double> edge_attributes;          ///< edge_count * edge_attribute_count
  std::uint32_t edge_attribute_count = 0;
  std::vector<double> node_attributes;  ///< node_count * attribute_count
  std::uint32_t attribute_count = 0;
  std::vector<std::uint32_t> graph_labels;       ///< by graph: index into graph_label_values
  std::vector<std::int64_t> graph_label_values;  ///< distinct labels, the files' own ascending
  std::vector<double> graph_targets;             ///< numbers: graph_count * target_count
  std::uint32_t target_count = 0;
  std::uint64_t dropped_edges = 0;  ///< repeated rows of the edge file, left out
  /// The samples are nodes, not graphs: classes are theirs.
  bool has_node_samples = false;
  std::vector<std::uint32_t> node_classes;  ///< by node: index into graph_label_values; or empty
  std::vector<Split> node_splits;           ///< by node, or empty: no split

  [[nodiscard]] std::uint32_t graph_count() const {
    return static_cast<std::uint32_t>(node_begin.size() - 1);
  }
  [[nodiscard]] std::uint32_t node_count() const { return node_begin.back(); }
  [[nodiscard]] std::uint64_t edge_count() const { return source.size(); }
};

}  // namespace vecc::tools
