// Which elements the tiles of a launch read and store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "vecc/plan.h"

namespace vecc {

/// Numbers `begin` .. `end` - 1 of all that a Plan's launches may store: of the arena and, behind
/// it, of parameters and states.
struct Extent {
  std::uint64_t begin = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t end = 0;

  [[nodiscard]] bool meets(const Extent& other) const {
    return begin < other.end && other.begin < end;
  }
  void add(const Extent& other);
};

/// Where buffers begin among these numbers; constants, which nothing stores, are none of them.
class StoredPlaces {
 public:
  explicit StoredPlaces(const Plan& plan);
  [[nodiscard]] std::optional<std::uint64_t> first(BufferIndex buffer) const {
    return firsts_[buffer];
  }
  /// `all` in parts, each of which begins where a launch's stores do: of a concat, its operands.
  [[nodiscard]] std::vector<Extent> parts(const Extent& all) const;

 private:
  std::vector<std::optional<std::uint64_t>> firsts_;  // by buffer
  std::vector<std::uint64_t> stores_;                 // where stores begin, in order
};

/// What one access of a launch reaches of what one launch stores, by block of tiles: no more than
/// lies between the first and the last element that it does.
struct AccessExtents {
  bool store = false;
  std::vector<Extent> blocks;
  Extent all;
  /// Of a block and those behind it, the least begin, which rises, and the largest end, which
  /// falls.
  std::vector<std::uint64_t> begins;
  std::vector<std::uint64_t> ends;

  /// The number of blocks, from the first one on, among which are all that meet `extent`.
  [[nodiscard]] std::uint32_t blocks_before(const Extent& extent) const;
};

/// Whether tiles of the first rows or of the last ones run first.
enum class RowDirection : std::uint8_t { Ascending, Descending };

/// A launch's tiles by the first row of each (of those of several types, rows that are near are
/// then near), in blocks of neighbours.
struct TileBlocks {
  std::vector<std::uint32_t> tiles;
  std::vector<std::uint32_t> offsets;  ///< block b is tiles offsets[b] .. offsets[b + 1] - 1
  std::vector<AccessExtents> accesses;

  [[nodiscard]] std::uint32_t count() const {
    return static_cast<std::uint32_t>(offsets.size()) - 1;
  }
};

/// In at most `most` blocks. Linear in the launch's rows, members and lists.
[[nodiscard]] TileBlocks tile_blocks(const Plan& plan, const Launch& launch,
                                     const StoredPlaces& places, RowDirection rows,
                                     std::uint32_t most);

}  // namespace vecc
