// The order in which a processor goes through the tiles of a Plan: rows that one launch stores are
// read by the next while they are in a core's cache. Launch by launch, all rows would go to memory
// in between. Each tile computes what it does in any order, so results are the same bits.
#pragma once

#include <cstdint>
#include <vector>

#include "vecc/plan.h"

namespace vecc {

/// Some tiles of one launch.
struct TileStep {
  std::uint32_t launch = 0;
  std::uint32_t first = 0;  ///< tiles[first] .. tiles[last - 1] of the order
  std::uint32_t last = 0;
  std::uint32_t first_wait = 0;  ///< waits[first_wait] .. waits[last_wait - 1] of the order
  std::uint32_t last_wait = 0;
};

/// So many steps of that launch, the first ones, have to be done before.
struct TileWait {
  std::uint32_t launch = 0;
  std::uint32_t steps = 0;
};

/// Every tile of a stage once. What a step reads, and what it stores over, was stored and read by
/// steps before it.
struct TileOrder {
  std::vector<std::uint32_t> tiles;
  std::vector<TileStep> steps;
  std::vector<TileWait> waits;
  /// Steps turns[t] .. turns[t + 1] - 1 are best run by one thread: what they hand to one another
  /// is in its cache. Empty where the launches are to run one after another.
  std::vector<std::uint32_t> turns;

  [[nodiscard]] bool empty() const { return turns.empty(); }
};

struct TurnSizes {
  std::uint64_t cache_bytes = 0;  ///< of a core, that what all launches store in a turn may take
  std::uint32_t least_turns = 2;  ///< fewer are not worth it
};

/// Of one stage. Launches take turns, each with as large a part of its tiles, as far as what they
/// wait for is done. Empty of a Plan with number steps, where there would be too few turns, where
/// most launches wait for whole ones before them, and where comparing launches or reading their
/// lists would take long. Linear in the rows, members and lists of the launches.
[[nodiscard]] TileOrder order_tiles(const Plan& plan, std::uint32_t stage, const TurnSizes& sizes);

}  // namespace vecc
