#include "tools/import/load/repeated_edges.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace vecc::tools {
namespace {

struct OutEdge {
  std::uint32_t target;
  std::uint32_t relation;
  std::uint32_t row;

  [[nodiscard]] bool same_as(const OutEdge& other) const {
    return target == other.target && relation == other.relation;
  }
  bool operator<(const OutEdge& other) const {
    return std::tie(target, relation, row) < std::tie(other.target, other.relation, other.row);
  }
};

}  // namespace

std::vector<bool> find_repeated_edges(std::uint32_t node_count, const EdgeColumns& edges) {
  // Rows by source: rows[begin[s]] .. rows[begin[s + 1]]; first begin[s] is where the next one
  // goes.
  std::vector<std::uint32_t> begin(std::size_t{node_count} + 2);
  for (const std::uint32_t source : edges.source) ++begin[source + std::size_t{2}];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::uint32_t> rows(edges.source.size());
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    rows[begin[edges.source[row] + std::size_t{1}]++] = row;
  }
  std::vector<bool> repeated;
  std::vector<OutEdge> out;
  for (std::uint32_t source = 0; source < node_count; ++source) {
    out.clear();
    for (std::uint32_t i = begin[source]; i < begin[source + std::size_t{1}]; ++i) {
      const std::uint32_t row = rows[i];
      out.push_back({edges.target[row], edges.relation.empty() ? 0 : edges.relation[row], row});
    }
    std::sort(out.begin(), out.end());
    for (std::size_t i = 1; i < out.size(); ++i) {
      if (!out[i].same_as(out[i - 1])) continue;
      repeated.resize(edges.source.size());
      repeated[out[i].row] = true;
    }
  }
  return repeated;
}

void drop_repeated_edges(TypedGraph& graph) {
  const std::vector<bool> repeated =
      find_repeated_edges(graph.node_count, {graph.source, graph.target, graph.relation});
  graph.dropped_edges = remove_marked(graph.source, repeated);
  remove_marked(graph.target, repeated);
  remove_marked(graph.relation, repeated);
  remove_marked(graph.edge_split, repeated);
}

void drop_repeated_edges(GraphSet& set) {
  const std::vector<bool> repeated =
      find_repeated_edges(set.node_count(), {set.source, set.target, {}});
  set.dropped_edges = remove_marked(set.source, repeated);
  remove_marked(set.target, repeated);
  remove_marked(set.edge_labels, repeated);
  if (repeated.empty() || set.edge_attribute_count == 0) return;
  std::vector<bool> values;  // of each edge as many
  values.reserve(set.edge_attributes.size());
  for (const bool is_repeated : repeated) {
    values.insert(values.end(), set.edge_attribute_count, is_repeated);
  }
  remove_marked(set.edge_attributes, values);
}

}  // namespace vecc::tools
