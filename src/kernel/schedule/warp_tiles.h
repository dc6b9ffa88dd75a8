// How a GPU's warps share the entries of a small sum of outer products
// (prelude/short_outer_products.h).
#pragma once

#include <cstdint>

namespace vecc {

/// Lanes down and across an M x N matrix: each has a tile of `rows` x `cols` entries, so that it
/// loads a few numbers for many products; as often as they fit into a warp, its lanes take members
/// in turn.
struct WarpTiles {
  std::uint32_t down = 1;
  std::uint32_t across = 1;
  std::uint32_t rows = 1;
  std::uint32_t cols = 1;

  [[nodiscard]] constexpr std::uint32_t groups() const { return 32 / (down * across); }
};

/// Tiles of up to 32 entries, if a warp can have so many, and as square as they can be.
[[nodiscard]] constexpr WarpTiles warp_tiles(std::uint64_t m, std::uint64_t n) {
  constexpr std::uint64_t kMostOfLane = 32;
  WarpTiles best;
  std::uint64_t least = ~std::uint64_t{0};
  for (std::uint32_t lanes = 1; lanes <= 32; lanes *= 2) {
    for (std::uint32_t down = 1; down <= lanes; down *= 2) {
      const std::uint64_t rows = (m + down - 1) / down;
      const std::uint64_t cols = (n + lanes / down - 1) / (lanes / down);
      if (rows * cols > kMostOfLane && lanes < 32) continue;
      if (rows + cols >= least) continue;
      least = rows + cols;
      best = {down, lanes / down, static_cast<std::uint32_t>(rows),
              static_cast<std::uint32_t>(cols)};
    }
    if (least != ~std::uint64_t{0}) break;
  }
  return best;
}

}  // namespace vecc
