// The levels of `reach`: which atoms reach(n, X) there are, and which bodies prove them.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/import/models/models.h"
#include "tools/import/models/typed/typed_edges.h"

namespace vecc::tools {

/// The edges, sorted by target, then by relation, and the sources: what every level is made from.
struct ReachGraph {
  std::uint32_t nodes = 0;
  std::vector<std::uint32_t> source;    ///< by edge
  std::vector<std::uint32_t> target;    ///< by edge
  std::vector<std::uint32_t> relation;  ///< by edge
  ItemLists out_edges;                  ///< by node
  std::vector<std::uint32_t> start;     ///< the nodes of level 0, ascending
};
/// Errors: Usage (no sources, or one that the graph lacks), LimitEdges.
[[nodiscard]] Result<ReachGraph> make_reach_graph(const TypedGraph& data,
                                                  const ReachOptions& options);

/// Level after level. A step costs what the smaller of the level's edges (sorted) and all edges
/// cost.
class LevelWalk {
 public:
  explicit LevelWalk(const ReachGraph& graph);
  /// The level's nodes, ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& nodes() const { return nodes_; }
  /// The edges that lead from the level before to this one, ascending; none on level 0.
  [[nodiscard]] const std::vector<std::uint32_t>& edges() const { return edges_; }
  void step();

 private:
  const ReachGraph& graph_;
  std::vector<std::uint32_t> nodes_;
  std::vector<std::uint32_t> edges_;
  std::vector<std::uint8_t> is_member_;  // by node; all 0 between steps
};

/// Counts level by level without keeping any; from where the levels repeat, it multiplies, so that
/// any depth is counted. Numbers beyond 64 bits stay at the largest one.
[[nodiscard]] ReachSize count_reach(const ReachGraph& graph, std::uint32_t depth);

/// All levels. Atoms are numbered level by level, within a level by node; aggregations and bodies
/// in the order of the atoms they belong to. Level 0, which another rule proves, has atoms only.
struct ReachLevels {
  std::vector<std::uint32_t> node;         ///< by atom
  std::vector<std::uint32_t> first;        ///< by atom, and the end: its aggregations
  std::vector<std::uint32_t> relation;     ///< by aggregation
  std::vector<std::uint32_t> first_body;   ///< by aggregation, and the end: its bodies
  std::vector<std::uint32_t> source_atom;  ///< by body: the atom of the level before
};
/// `graph` must have been counted: fewer neurons than 32-bit numbers can name.
[[nodiscard]] ReachLevels unroll_reach(const ReachGraph& graph, std::uint32_t depth);

}  // namespace vecc::tools
