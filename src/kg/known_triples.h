// Triples that are known to hold, by what is asked of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "src/kg/triple.h"

namespace vecc::kg {

class KnownTriples {
 public:
  /// Repeated ones count once.
  explicit KnownTriples(std::span<const Triple> triples);

  /// The entities that answer the query, ascending: entry 2 of each. Valid as long as this is.
  using Row = std::array<std::uint32_t, 3>;  ///< relation, anchor, answer
  [[nodiscard]] std::span<const Row> answers(const Query& query) const;
  /// All of them, ascending.
  [[nodiscard]] std::span<const Row> rows(Side asked) const {
    return rows_[static_cast<std::size_t>(asked)];
  }
  [[nodiscard]] bool contains(const Query& query, std::uint32_t answer) const;

 private:
  std::array<std::vector<Row>, 2> rows_;  ///< by the side that is asked for; ascending
};

}  // namespace vecc::kg
