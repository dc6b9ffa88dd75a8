// How many queries and entities are ranked at once, and so how much memory it takes.
#pragma once

#include <cstdint>

#include "src/kg/cuda/rank_model.h"

namespace vecc::kg {

/// Bytes that queries of a block may have, and entities of one.
inline constexpr std::uint64_t kRankBlockBytes = std::uint64_t{512} << 20;

struct RankBlocks {
  std::uint64_t queries = 0;   ///< at most; whole tiles
  std::uint64_t entities = 0;  ///< at most; whole tiles
  std::uint64_t bytes = 0;     ///< of what is made of them, on the GPU
};

/// Queries and entities of a tile.
[[nodiscard]] std::uint32_t rank_tile_of(const RankModel& model);
/// A tile of each where `block_bytes` are fewer than those of one.
[[nodiscard]] RankBlocks rank_blocks(const RankModel& model, std::uint64_t queries,
                                     std::uint64_t block_bytes);

}  // namespace vecc::kg
