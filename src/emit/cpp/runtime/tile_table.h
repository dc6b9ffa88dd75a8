// The rows of a launch that a thread takes at once.
#pragma once

#include <cstdint>

namespace vecc::emitted {

/// A row a launch. Places are elements of indices_32.
struct TileRow {
  std::uint64_t work;
  std::uint64_t tiles;  ///< tile_count + 1: tile t is rows tiles[t] .. tiles[t + 1] - 1
  std::uint64_t tile_count;
  std::uint64_t tile_types;     ///< kNoPlace: all 0
  std::uint64_t scratch_bytes;  ///< that each thread needs for the launch's kernel
};

}  // namespace vecc::emitted
