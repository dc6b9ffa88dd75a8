// The part of dedup-rows that takes gathers from between linears and segments.
//
//   %3 = linear ... : f32[4, 3x1]
//   %4 = gather %3 [2, 3, 1, 0] ; %5 = segment %4 [fixed 2 dim 2] sum
//   =>
//   %4 = segment %3 [fixed 2 dim 2] sum ; %5 = gather %4 [1, 0]
//
// A segment has fewer rows than members: if a gather must be, it is cheaper behind it. Every row of
// the linear must belong to a wanted segment, or segments would be computed that are not read.
#pragma once

#include <cstdint>

#include "vecc/program.h"

namespace vecc::opt {

/// Cuts linears in their own order wherever that holds the segments that a gather picked; the
/// gather has no other reader. The number of gathers that went.
[[nodiscard]] std::uint64_t segment_linears_in_order(Program& program);

}  // namespace vecc::opt
