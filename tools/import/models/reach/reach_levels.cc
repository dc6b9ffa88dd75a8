#include <algorithm>
#include <limits>
#include <numeric>

#include "tools/import/models/reach/reach.h"

namespace vecc::tools {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

std::uint64_t add(std::uint64_t a, std::uint64_t b) {
  return a > kMost - b ? kMost : a + b;
}
std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > kMost / b ? kMost : a * b;
}

// Neurons and edges of levels: reach/2's and, one a reach atom, the bodies of reached/1.
struct LevelSize {
  std::uint64_t neurons = 0;
  std::uint64_t edges = 0;

  LevelSize operator+(const LevelSize& other) const {
    return {add(neurons, other.neurons), add(edges, other.edges)};
  }
  LevelSize operator*(std::uint64_t times) const {
    return {multiply(neurons, times), multiply(edges, times)};
  }
};

// The edge begins a new aggregation: another target, or another relation's rule.
bool begins_aggregation(const ReachGraph& graph, const std::vector<std::uint32_t>& edges,
                        std::size_t i) {
  return i == 0 || graph.target[edges[i]] != graph.target[edges[i - 1]] ||
         graph.relation[edges[i]] != graph.relation[edges[i - 1]];
}

LevelSize size_of(const ReachGraph& graph, const LevelWalk& walk) {
  const std::uint64_t bodies = walk.edges().size();
  const std::uint64_t atoms = walk.nodes().size();
  std::uint64_t aggregations = 0;
  for (std::size_t i = 0; i < bodies; ++i) {
    if (begins_aggregation(graph, walk.edges(), i)) ++aggregations;
  }
  // A body reads an atom and is read by its aggregation, that by its atom; the atom is read by a
  // body of reached/1, that by its aggregation.
  return {bodies + aggregations + 2 * atoms, 2 * bodies + aggregations + 2 * atoms};
}

LevelSize sum_of(const std::vector<LevelSize>& sizes, std::size_t count) {
  return std::accumulate(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(count),
                         LevelSize{});
}

}  // namespace

ReachSize count_reach(const ReachGraph& graph, std::uint32_t depth) {
  LevelWalk walk(graph);
  std::vector<std::uint8_t> is_reached(graph.nodes);
  // Equal levels have equal successors. Each level is compared with a kept one, which is replaced
  // at ever longer distances, so that any period is found (Brent 1980).
  std::vector<std::uint32_t> kept = walk.nodes();
  std::vector<LevelSize> since;  // sizes of the levels after the kept one
  std::size_t longest = 1;
  // A source: fact, body, aggregation, atom, and the atom's body of reached/1.
  LevelSize size = LevelSize{5, 5} * walk.nodes().size();
  for (const std::uint32_t node : walk.nodes()) is_reached[node] = 1;
  for (std::uint32_t level = 0; level < depth; ++level) {
    walk.step();
    since.push_back(size_of(graph, walk));
    size = size + since.back();
    for (const std::uint32_t node : walk.nodes()) is_reached[node] = 1;
    if (walk.nodes() == kept) {
      const std::uint64_t left = depth - level - 1;
      size = size + sum_of(since, since.size()) * (left / since.size()) +
             sum_of(since, left % since.size());
      break;
    }
    if (since.size() == longest) {
      kept = walk.nodes();
      since.clear();
      longest *= 2;
    }
  }
  const auto reached =
      static_cast<std::uint64_t>(std::count(is_reached.begin(), is_reached.end(), std::uint8_t{1}));
  size = size + LevelSize{2, 1} * reached;  // aggregation and atom of reached/1
  return {size.neurons, size.edges, reached};
}

ReachLevels unroll_reach(const ReachGraph& graph, std::uint32_t depth) {
  LevelWalk walk(graph);
  ReachLevels levels;
  levels.node = walk.nodes();
  levels.first.assign(levels.node.size(), 0);
  std::vector<std::uint32_t> last_atom(graph.nodes);  // of a node, on whatever level
  std::size_t begin = 0;                              // of the level before
  for (std::uint32_t level = 0; level < depth && begin < levels.node.size(); ++level) {
    for (; begin < levels.node.size(); ++begin) {
      last_atom[levels.node[begin]] = static_cast<std::uint32_t>(begin);
    }
    walk.step();
    const std::vector<std::uint32_t>& edges = walk.edges();
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (i == 0 || graph.target[edges[i]] != graph.target[edges[i - 1]]) {
        levels.node.push_back(graph.target[edges[i]]);
        levels.first.push_back(static_cast<std::uint32_t>(levels.relation.size()));
      }
      if (begins_aggregation(graph, edges, i)) {
        levels.relation.push_back(graph.relation[edges[i]]);
        levels.first_body.push_back(static_cast<std::uint32_t>(levels.source_atom.size()));
      }
      levels.source_atom.push_back(last_atom[graph.source[edges[i]]]);
    }
  }
  levels.first.push_back(static_cast<std::uint32_t>(levels.relation.size()));
  levels.first_body.push_back(static_cast<std::uint32_t>(levels.source_atom.size()));
  return levels;
}

}  // namespace vecc::tools
