// The edges of a typed graph in the order in which rules are grounded: one rule a relation, its
// bodies by head.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/import/load/typed_graph.h"
#include "vecc/error.h"

namespace vecc::tools {

/// Edges sorted by relation, then by target, then by source. With inverse relations, relation R0 +
/// r holds the edges of relation r turned round (R0 relations in the data).
struct TypedEdges {
  std::vector<std::uint32_t> relation_begin;  ///< one a relation, and the end
  std::vector<std::uint32_t> source;          ///< by edge
  std::vector<std::uint32_t> target;          ///< by edge

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(source.size()); }
  [[nodiscard]] std::uint32_t relation_count() const {
    return static_cast<std::uint32_t>(relation_begin.size() - 1);
  }
};
/// A counting sort by relation, and a sort of each one's edges, which are together in memory.
/// Error: LimitEdges (more than 32-bit numbers can name).
[[nodiscard]] Result<TypedEdges> sort_edges(const TypedGraph& data, bool inverse);

/// The relation of item 0, 1, 2, ... of columns sorted by relation. Items are asked for in order.
class RelationCursor {
 public:
  explicit RelationCursor(const std::vector<std::uint32_t>& relation_begin)
      : begin_(relation_begin) {}
  std::uint32_t at(std::uint64_t item) {
    while (begin_[relation_ + std::size_t{1}] <= item) ++relation_;
    return relation_;
  }

 private:
  const std::vector<std::uint32_t>& begin_;
  std::uint32_t relation_ = 0;
};

/// Distinct (relation, target): the ground heads of the relations' rules. Head k's bodies are the
/// edges begin[k] .. begin[k+1].
struct RelationHeads {
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> target;

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(target.size()); }
};
[[nodiscard]] RelationHeads find_heads(const TypedEdges& edges);

/// Items by key: those of key k are item[begin[k]] .. item[begin[k+1]], ascending.
struct ItemLists {
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> item;

  [[nodiscard]] bool is_empty(std::uint32_t key) const {
    return begin[key] == begin[key + std::size_t{1}];
  }
};
/// A counting sort.
[[nodiscard]] ItemLists list_by_key(const std::vector<std::uint32_t>& keys,
                                    std::uint32_t key_count);

/// Distinct (relation, node) where the node is an end of one of the relation's edges. Those with
/// edges out of the node come first, then the others, both by relation.
struct RelationEnds {
  std::vector<std::uint32_t> node;                  ///< by end
  std::uint32_t source_count = 0;                   ///< ends that are sources
  std::vector<std::uint32_t> source_begin;          ///< by relation, of the sources
  std::vector<std::uint32_t> target_begin;          ///< by relation, of the others; from 0
  std::vector<std::uint32_t> of_source, of_target;  ///< by edge: its ends

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(node.size()); }
};
/// Error: LimitEdges (more ends than 32-bit numbers can name).
[[nodiscard]] Result<RelationEnds> find_ends(const TypedEdges& edges, const TypedGraph& data);

}  // namespace vecc::tools
