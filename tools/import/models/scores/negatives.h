// Corrupted triples: the head or the tail replaced, so that the triple is not in the data.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "tools/import/load/splitmix.h"
#include "tools/import/load/typed_graph.h"
#include "vecc/error.h"

namespace vecc::tools {

struct Triple {
  std::uint32_t head = 0;
  std::uint32_t relation = 0;
  std::uint32_t tail = 0;

  auto operator<=>(const Triple&) const = default;
};

/// Draws corrupted triples. No rejection: the entities that fit are numbered, and one number is
/// drawn, so that a pair with few of them costs no more and one with none is noticed.
class Corruption {
 public:
  /// All triples of `data`, of whatever split, are known.
  explicit Corruption(const TypedGraph& data);

  [[nodiscard]] bool is_known(const Triple& triple) const;
  /// Head or tail, each with probability 1/2, becomes an entity drawn uniformly from those that
  /// make an unknown triple; where one side has no such entity, the other side's is taken. Error:
  /// Usage (neither side has one).
  [[nodiscard]] Result<Triple> draw(const Triple& positive, SplitMix& random) const;

 private:
  /// What stands opposite an entity in a relation's triples: keys `entity << 32 | opposite`, sorted
  /// within each relation.
  struct Opposites {
    std::vector<std::uint64_t> begin;  // by relation
    std::vector<std::uint64_t> keys;
  };
  struct Known {
    const std::uint64_t* first;
    const std::uint64_t* last;
    [[nodiscard]] std::uint64_t count() const { return static_cast<std::uint64_t>(last - first); }
  };
  [[nodiscard]] static Opposites sort_opposites(const TypedGraph& data,
                                                const std::vector<std::uint32_t>& entity,
                                                const std::vector<std::uint32_t>& opposite);
  [[nodiscard]] static Known find_known(const Opposites& of, std::uint32_t relation,
                                        std::uint32_t entity);
  [[nodiscard]] Errors saturated(const Triple& positive) const;

  const TypedGraph& data_;
  Opposites tails_;  // of a head
  Opposites heads_;  // of a tail
};

}  // namespace vecc::tools
