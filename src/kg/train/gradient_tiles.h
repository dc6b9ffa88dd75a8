// Derivatives of the sums of tiles.h, in vector registers: of scores of some queries with some
// entities, by both.
//
// The work is cut by dimensions: of kPanelLanes of them all queries and all entities are one task,
// which no other one touches, so that sums have one order whatever the number of threads is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "src/kg/tiles.h"

namespace vecc::kg {

/// What passes a derivative on; `c` is that by a score, d = q - e.
enum class GradientKind : std::uint8_t {
  Product,     ///< dq += c e, de += c q
  Difference,  ///< dq -= c d, de += c d
  Sign,        ///< dq -= c sign(d), de += c sign(d); sign(0) = 0
  Direction,   ///< of complex numbers: dq -= c d / |d|, de += c d / |d|; 0 where d is 0
};
inline constexpr std::size_t kGradientKinds = 4;

/// That of a sum; a tile's Projection has none.
[[nodiscard]] GradientKind gradient_kind(TileKind kind);

/// Of kPanelLanes dimensions (Direction: of as many real parts, and the imaginary ones behind
/// them), blocks [row][part][lane] without gaps. Reads c[query * stride + entity].
template <class T>
struct GradientTask {
  const T* queries;
  const T* entities;
  std::size_t query_count;  ///< a multiple of kGradientRows
  std::size_t entity_count;
  const T* coefficients;
  std::size_t stride;
  T* by_queries;   ///< added to
  T* by_entities;  ///< added to
};
inline constexpr std::size_t kGradientRows = 8;

template <class T>
using RunGradient = void (*)(const GradientTask<T>&);

/// Those that this processor runs, the best first.
template <class T>
[[nodiscard]] std::span<const RunGradient<T>> usable_gradient_kernels(GradientKind kind);

}  // namespace vecc::kg
