// The edges that messages of an encoder take: training triples and their inverses.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/kg/triple.h"

namespace vecc::kg {

/// Which edges stand one after another: what a layer sums first.
enum class EdgeOrder : std::uint8_t {
  ByType,    ///< type, then target, then source
  ByTarget,  ///< target, then type, then source
};

/// Edges source -type-> target. A triple that is there twice has its edges once.
struct MessageGraph {
  std::uint32_t nodes = 0;
  std::uint32_t types = 0;
  std::vector<std::uint32_t> source;  ///< by edge
  std::vector<std::uint32_t> type;
  std::vector<std::uint32_t> target;

  [[nodiscard]] std::uint32_t edge_count() const {
    return static_cast<std::uint32_t>(source.size());
  }
};

/// `inverse`: as EncoderOptions::inverse. At most 2^31 triples.
[[nodiscard]] MessageGraph make_message_graph(std::span<const Triple> triples,
                                              std::uint32_t entities, std::uint32_t relations,
                                              std::span<const std::uint32_t> inverse,
                                              EdgeOrder order);

/// Distinct pairs of a type and a node, in their order, and which of them an edge has.
struct TypedNodes {
  std::vector<std::uint32_t> type;     ///< by pair
  std::vector<std::uint32_t> node;     ///< by pair
  std::vector<std::uint32_t> of_edge;  ///< by edge: the number of its pair
};
/// `nodes`: by edge its source, or its target.
[[nodiscard]] TypedNodes find_typed_nodes(const MessageGraph& graph,
                                          std::span<const std::uint32_t> nodes);

/// Numbers of the items of each key, ascending: items [begin[key], begin[key + 1]).
struct ItemsByKey {
  std::vector<std::uint32_t> begin;  ///< [keys + 1]
  std::vector<std::uint32_t> item;
};
/// `key_of`: by item, below `keys`.
[[nodiscard]] ItemsByKey items_by_key(std::span<const std::uint32_t> key_of, std::uint32_t keys);

}  // namespace vecc::kg
