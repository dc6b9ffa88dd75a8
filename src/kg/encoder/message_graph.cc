#include "src/kg/encoder/message_graph.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace vecc::kg {
namespace {

using Edge = std::array<std::uint32_t, 3>;  // by what it is sorted, first key first

struct EdgePlaces {
  std::size_t type;
  std::size_t target;
};
EdgePlaces places_of(EdgeOrder order) {
  return order == EdgeOrder::ByType ? EdgePlaces{0, 1} : EdgePlaces{1, 0};
}

Edge edge_of(EdgeOrder order, std::uint32_t source, std::uint32_t type, std::uint32_t target) {
  const EdgePlaces at = places_of(order);
  Edge edge{0, 0, source};
  edge[at.type] = type;
  edge[at.target] = target;
  return edge;
}

}  // namespace

MessageGraph make_message_graph(std::span<const Triple> triples, std::uint32_t entities,
                                std::uint32_t relations, std::span<const std::uint32_t> inverse,
                                EdgeOrder order) {
  std::vector<Edge> edges;
  edges.reserve(triples.size() * (inverse.empty() ? 2 : 1));
  for (const Triple& t : triples) {
    edges.push_back(edge_of(order, t.head, t.relation, t.tail));
    if (inverse.empty()) edges.push_back(edge_of(order, t.tail, relations + t.relation, t.head));
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  MessageGraph graph;
  graph.nodes = entities;
  graph.types = relations * (inverse.empty() ? 2 : 1);
  const EdgePlaces at = places_of(order);
  for (const Edge& edge : edges) {
    graph.source.push_back(edge[2]);
    graph.type.push_back(edge[at.type]);
    graph.target.push_back(edge[at.target]);
  }
  return graph;
}

TypedNodes find_typed_nodes(const MessageGraph& graph, std::span<const std::uint32_t> nodes) {
  const auto key_of = [&](std::uint32_t e) { return std::pair(graph.type[e], nodes[e]); };
  std::vector<std::uint32_t> order(graph.edge_count());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return key_of(a) < key_of(b); });
  TypedNodes pairs;
  pairs.of_edge.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t e = order[i];
    if (i == 0 || key_of(order[i - 1]) != key_of(e)) {
      pairs.type.push_back(graph.type[e]);
      pairs.node.push_back(nodes[e]);
    }
    pairs.of_edge[e] = static_cast<std::uint32_t>(pairs.type.size() - 1);
  }
  return pairs;
}

ItemsByKey items_by_key(std::span<const std::uint32_t> key_of, std::uint32_t keys) {
  ItemsByKey items;
  items.begin.resize(keys + std::size_t{1});
  for (const std::uint32_t key : key_of) ++items.begin[key + std::size_t{1}];
  std::partial_sum(items.begin.begin(), items.begin.end(), items.begin.begin());
  std::vector<std::uint32_t> next(items.begin.begin(), items.begin.end() - 1);
  items.item.resize(key_of.size());
  for (std::uint32_t i = 0; i < key_of.size(); ++i) items.item[next[key_of[i]]++] = i;
  return items;
}

}  // namespace vecc::kg
