// Triples of a knowledge graph, by the numbers of a model's entities and relations, and what is
// asked of them.
#pragma once

#include <compare>
#include <cstdint>

#include "src/kg/formulas/kinds.h"

namespace vecc::kg {

struct Triple {
  std::uint32_t head = 0;
  std::uint32_t relation = 0;
  std::uint32_t tail = 0;

  bool operator==(const Triple&) const = default;
};

/// Which entities stand on the side `asked`: (?, relation, anchor) or (anchor, relation, ?).
struct Query {
  std::uint32_t relation = 0;
  Side asked = Side::Tail;
  std::uint32_t anchor = 0;

  auto operator<=>(const Query&) const = default;
};

[[nodiscard]] inline Query query_of(const Triple& triple, Side asked) {
  return {triple.relation, asked, asked == Side::Tail ? triple.head : triple.tail};
}
/// The entity that the triple has on a side.
[[nodiscard]] inline std::uint32_t entity_on(const Triple& triple, Side side) {
  return side == Side::Tail ? triple.tail : triple.head;
}

}  // namespace vecc::kg
