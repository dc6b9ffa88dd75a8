// Which operand of a linear is read by its period and repeated without a copy.
//
// A side whose rows are s s ... s (dimension 1) is read as s and lifted `repeat`; a side of which
// each row stands r times in a row (dimension 2) is read as every r-th row and lifted `interleave`.
// Both sides are lifted only where they make a table of all pairs: one repeats its l rows, the
// other interleaves its n / l rows, each l times. (Any common multiple of what the patterns allow
// will do: rows [0, 1, 0, 1, ...] also repeat by 4.)
#pragma once

#include <cstdint>

#include "optimizer/rewrite/readers.h"
#include "vecc/program.h"

namespace vecc::opt {

/// The rows that one side of a linear reads, and the number of elements in one of them.
struct LinearSide {
  Index rows;
  std::uint64_t row_size = 1;
};

/// Fixed segments that reduce the rows of a linear, where nothing else reads those.
struct FollowingSegments {
  std::uint32_t members = 0;  ///< 0: no such segments
  std::uint32_t dimension = 0;
};
[[nodiscard]] FollowingSegments following_segments(const Program& program, const Readers& readers,
                                                   ValueId linear);

struct LinearLifts {
  Lift left;
  Lift right;
};
/// The lifts that leave the fewest elements to gather; none if nothing repeats. Both sides have the
/// same number of rows. Where two sides could be lifted but not together, the one is that leaves
/// fewer elements. Of the periods of a side that repeats the shortest is taken, unless a longer one
/// is `following`'s number of members, along its dimension (then product and reduction are one loop
/// nest); a single row stays one.
[[nodiscard]] LinearLifts choose_lifts(const LinearSide& left, const LinearSide& right,
                                       const FollowingSegments& following);

/// The rows that a side reads once it is lifted.
[[nodiscard]] Index rows_under_lift(const Index& rows, const Lift& lift);

}  // namespace vecc::opt
