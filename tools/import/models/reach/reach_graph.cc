#include <algorithm>

#include "tools/import/models/reach/reach.h"
#include "tools/import/models/scores/entity_names.h"

namespace vecc::tools {

Result<ReachGraph> make_reach_graph(const TypedGraph& data, const ReachOptions& options) {
  if (options.sources.empty()) {
    return Errors(ErrorCode::Usage, "vecc-import", "--source: none given, expected a name or more");
  }
  ReachGraph graph;
  graph.nodes = data.node_count;
  VECC_TRY(graph.start, find_entities(data, options.sources, "--source"));
  std::sort(graph.start.begin(), graph.start.end());
  VECC_TRY(const TypedEdges edges, sort_edges(data, options.inverse));
  // Edges come by relation, so that those of one target stay in the relations' order.
  const ItemLists by_target = list_by_key(edges.target, data.node_count);
  graph.source.reserve(edges.count());
  graph.target.reserve(edges.count());
  graph.relation.reserve(edges.count());
  for (const std::uint32_t e : by_target.item) {
    const auto end = std::upper_bound(edges.relation_begin.begin(), edges.relation_begin.end(), e);
    graph.source.push_back(edges.source[e]);
    graph.target.push_back(edges.target[e]);
    graph.relation.push_back(static_cast<std::uint32_t>(end - edges.relation_begin.begin() - 1));
  }
  graph.out_edges = list_by_key(graph.source, data.node_count);
  return graph;
}

LevelWalk::LevelWalk(const ReachGraph& graph)
    : graph_(graph), nodes_(graph.start), is_member_(graph.nodes) {}

void LevelWalk::step() {
  // Sorting n edges costs about as much as passing by 16 n of them.
  constexpr std::uint64_t kSortFactor = 16;
  edges_.clear();
  std::uint64_t count = 0;
  const std::vector<std::uint32_t>& begin = graph_.out_edges.begin;
  for (const std::uint32_t node : nodes_) count += begin[node + std::size_t{1}] - begin[node];
  if (count * kSortFactor < graph_.source.size()) {
    for (const std::uint32_t node : nodes_) {
      const std::uint32_t* items = graph_.out_edges.item.data();
      edges_.insert(edges_.end(), items + begin[node], items + begin[node + std::size_t{1}]);
    }
    std::sort(edges_.begin(), edges_.end());
  } else {
    for (const std::uint32_t node : nodes_) is_member_[node] = 1;
    for (std::uint32_t e = 0; e < graph_.source.size(); ++e) {
      if (is_member_[graph_.source[e]] != 0) edges_.push_back(e);
    }
    for (const std::uint32_t node : nodes_) is_member_[node] = 0;
  }
  nodes_.clear();
  for (const std::uint32_t e : edges_) {
    if (nodes_.empty() || nodes_.back() != graph_.target[e]) nodes_.push_back(graph_.target[e]);
  }
}

}  // namespace vecc::tools
