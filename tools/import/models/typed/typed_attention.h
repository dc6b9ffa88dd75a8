// Attention over all edges into a node, relation by relation and head by head. Neurons of heads
// stand head by head: with n of them a head, number i of head h is h * n + i.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/import/models/typed/typed_template.h"

namespace vecc::tools {

/// What attention needs of the edges.
struct AttentionEdges {
  TypedEdges edges;
  ItemLists of_node;               ///< edges by target
  std::vector<std::uint32_t> row;  ///< by node: its number among those with edges into them
  std::uint32_t targets = 0;       ///< nodes with edges into them

  [[nodiscard]] std::uint64_t count() const { return edges.count(); }
};
[[nodiscard]] Result<AttentionEdges> find_attention_edges(const TypedTemplate& t);

/// Head by head and edge by edge, in order: the edge and its relation.
class HeadEdgeCursor {
 public:
  HeadEdgeCursor(const TypedTemplate& t, const TypedEdges& edges)
      : heads_(t.options().heads), edges_(edges) {}
  /// To number i of all; each time the same one or the next.
  void move(std::uint64_t i) {
    h_ = i / edges_.count();
    e_ = i % edges_.count();
    if (e_ == 0) relation_ = 0;
    while (edges_.relation_begin[relation_ + std::size_t{1}] <= e_) ++relation_;
  }
  [[nodiscard]] std::uint64_t head() const { return h_; }
  [[nodiscard]] std::uint64_t edge() const { return e_; }
  /// Its number in a table of weights by relation and head.
  [[nodiscard]] WeightId weight() const {
    return relation_ * heads_ + static_cast<std::uint32_t>(h_);
  }

 private:
  std::uint32_t heads_;
  const TypedEdges& edges_;
  std::uint64_t h_ = 0;
  std::uint64_t e_ = 0;
  std::uint32_t relation_ = 0;
};

/// `name(h,ARGUMENTS)`; one head has no argument h.
[[nodiscard]] std::string head_literal(const TypedTemplate& t, const std::string& name,
                                       const std::string& arguments);
/// `name/ARITY` of it, with `arguments` arguments besides h.
[[nodiscard]] std::string head_predicate(const TypedTemplate& t, const std::string& name,
                                         std::uint32_t arguments);

/// name(h,X) :- name(X): each head's part of values of layer `layer`.
struct HeadParts {
  std::uint32_t layer = 0;
  std::string name;        ///< "k1"
  std::string arguments;   ///< "X", or "r,Y"
  std::string constraint;  ///< empty, or ", *source(r,Y)"
  bool rows = false;       ///< the values are rows, else columns
};
/// The parts of `count` values; with one head the values themselves.
[[nodiscard]] FileId ground_head_parts(const TypedTemplate& t, const HeadParts& parts,
                                       FileId values, std::uint64_t count);

/// alpha(h,r,Y,X) :- s(h,r,Y,X). with softmax over r and Y: one vector a node and head, one entry
/// of it an edge. `scores` and the result: one atom an edge and head.
[[nodiscard]] FileId ground_softmax(const TypedTemplate& t, std::uint32_t layer,
                                    const AttentionEdges& all, FileId scores);

/// predicate(X) :- name(0,X), name(1,X). with CONCAT (several heads only): the rules' aggregations,
/// one a node.
[[nodiscard]] FileId ground_concat(const TypedTemplate& t, const std::string& predicate,
                                   const std::string& name, FileId parts);

}  // namespace vecc::tools
