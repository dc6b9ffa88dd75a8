// The orders in which pad-linear may compute the products of a linear: what each would gather, and
// the rows that it takes. Sides are `left` (the weights) and `right` (the inputs).
//
//   uses of the left rows: a 2, b 1      pairs (a, x) (a, y) (b, z)
//   sided by left      a a b b  /  x y z z       each row as often as the one used most
//   bucketed by left   (a a b) once              each row t times in a period
//   full               a a a b b b  /  x y z x y z
//
// Written here with the left side interleaving and the right one repeating; `Orientation` has both.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vecc/optimize.h"

namespace vecc::opt {

/// Rows that one side of a linear reads, and the pairs that each is in.
struct SideUses {
  std::vector<std::uint32_t> rows;   ///< by key: the row; ascending
  std::vector<std::uint32_t> order;  ///< rows of the linear, sorted by (key, other side)
  std::vector<std::uint32_t> begin;  ///< by key: its first place in `order`; then their number

  [[nodiscard]] std::uint32_t keys() const { return static_cast<std::uint32_t>(rows.size()); }
  [[nodiscard]] std::uint32_t uses(std::uint32_t key) const { return begin[key + 1] - begin[key]; }
};
/// Without `order`; linear in the rows of the linear, times log where they are few of `bound`.
[[nodiscard]] SideUses count_uses(std::span<const std::uint32_t> side, std::uint32_t bound);
/// `side` and `other` by row of the linear.
[[nodiscard]] SideUses uses_of(std::span<const std::uint32_t> side,
                               std::span<const std::uint32_t> other);

/// Rows of a linear, at least one, each pair once.
struct DistinctPairs {
  std::vector<std::uint32_t> left;  ///< by row of the linear: the row read on that side
  std::vector<std::uint32_t> right;
  SideUses by_left;
  SideUses by_right;
};

/// An order of the products.
struct PadLayout {
  enum class Kind : std::uint8_t { ByLeft, ByRight, AllPairs };
  Kind kind = Kind::AllPairs;
  /// By key of the side: how often it stands in a period (sided: once). Empty if AllPairs.
  std::vector<std::uint32_t> times;
  std::uint32_t periods = 0;
  /// Rows gathered on each side once the repeating sides are lifted, and products computed.
  std::uint64_t left_rows = 0;
  std::uint64_t right_rows = 0;
  std::uint64_t products = 0;
};
/// The longest period of a bucketed order.
inline constexpr std::uint32_t kLongestPeriod = 24;
/// Those that `mode` allows (by the uses, not their order), without the ones of 2^32 rows or more:
/// left, right, both, bucketed by left, bucketed by right.
[[nodiscard]] std::vector<PadLayout> pad_layouts(const DistinctPairs& pairs, PadMode mode);

/// Which side's rows stand together; the other side repeats.
enum class Orientation : std::uint8_t { LeftInterleaves, RightInterleaves };

struct PaddedRows {
  std::vector<std::uint32_t> left;  ///< by product: the row read on that side
  std::vector<std::uint32_t> right;
  std::vector<std::uint32_t> place;  ///< by row of the linear: its product
};
[[nodiscard]] PaddedRows lay_out(const DistinctPairs& pairs, const PadLayout& layout,
                                 Orientation orientation);

}  // namespace vecc::opt
