// Facts are a set: an edge that a file has twice stands once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tools/import/load/graph_set.h"
#include "tools/import/load/typed_graph.h"

namespace vecc::tools {

/// Edges by column; `relation` may be empty (there is only one).
struct EdgeColumns {
  std::span<const std::uint32_t> source;
  std::span<const std::uint32_t> target;
  std::span<const std::uint32_t> relation;
};

/// A mark for each edge that is equal to an earlier one; empty if there is none. Fewer than 2^32
/// edges. Takes time E log(largest out-degree), and 4 bytes an edge and a node.
[[nodiscard]] std::vector<bool> find_repeated_edges(std::uint32_t node_count,
                                                    const EdgeColumns& edges);

/// Takes the marked entries out of a column; returns how many those were.
template <class T>
std::uint64_t remove_marked(std::vector<T>& column, const std::vector<bool>& marked) {
  if (marked.empty() || column.empty()) return 0;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (!marked[i]) column[kept++] = column[i];
  }
  const std::uint64_t removed = column.size() - kept;
  column.resize(kept);
  return removed;
}

/// Takes repeated edges out of all columns and counts them in dropped_edges.
void drop_repeated_edges(TypedGraph& graph);
void drop_repeated_edges(GraphSet& set);

}  // namespace vecc::tools
