// Sums over dimensions of some queries with some entities, in vector registers.
//
// A panel is the embeddings of kPanelLanes entities, dimension by dimension: [dim][lanes]. A tile
// of queries is `rows` of them, dimension by dimension: [dim][rows]. Each (query, entity) is one
// lane of one register whatever its place is, and sums in the order of the dimensions: equal
// embeddings have the same bits as score in any panel, tile or thread.
#pragma once

#include <array>
#include <boost/align/aligned_allocator.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/kg/formulas/kinds.h"

namespace vecc::kg {

/// Bytes of a panel's row: one register of AVX-512, two of AVX2.
inline constexpr std::size_t kPanelBytes = 64;
template <class T>
inline constexpr std::uint32_t kPanelLanes = kPanelBytes / sizeof(T);

template <class T>
using AlignedVector = std::vector<T, boost::alignment::aligned_allocator<T, kPanelBytes>>;

inline constexpr std::size_t kTileKinds = 6;

template <class T>
struct TileKernels {
  /// out[row * stride + lane], for `rows` queries and one panel; `bias` by row. `panel` is aligned
  /// to kPanelBytes.
  using Run = void (*)(const T* queries, const T* panel, std::uint32_t dim, const T* bias, T* out,
                       std::size_t stride);
  /// Of n scores: adds how many are above and how many equal to one.
  using Count = void (*)(const T* scores, std::size_t n, T score, std::uint64_t& above,
                         std::uint64_t& equal);
  std::uint32_t rows = 0;  ///< queries in a tile
  std::array<Run, kTileKinds> run{};
  Count count = nullptr;

  [[nodiscard]] Run of(TileKind kind) const { return run[static_cast<std::size_t>(kind)]; }
};

/// Those that this processor runs, the best first: AVX-512, AVX2, what the compiler makes of plain
/// vectors. T: float, double.
template <class T>
[[nodiscard]] std::span<const TileKernels<T>* const> usable_tile_kernels();
/// The best.
template <class T>
[[nodiscard]] const TileKernels<T>& tile_kernels() {
  return *usable_tile_kernels<T>().front();
}

}  // namespace vecc::kg
