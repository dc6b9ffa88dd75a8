// Segments whose members are products and plain rows in turn: one linear instead of two sources.
//
// A plain row is a product by the neutral weight: the identity matrix, or 1 for scalar weights. So
// a segment over `gather (concat (linear w x), plain)`, of which it is the only reader, reads one
// linear in its own order, and the concat and the gather of the products go (`eye` is a fact):
//
//   %5 = linear (gather %w [0, 1]), (gather %x [4, 5]) : f32[2, 3x1]
//   %6 = gather %e [7] : f32[1, 3x1]
//   %8 = gather (concat %5, %6) [0, 2, 1] : f32[3, 3x1]
//   %9 = segment %8 [0, 3] sum : f32[1, 3x1]
//   =>
//   %7 = linear (gather (concat %w, %eye) [0, 2, 1]), (gather (concat %x, %e) [4, 15, 5])
//   %8 = segment %7 [0, 3] sum : f32[1, 3x1]
//
// Joined are products of a square weight (or a scalar one) on the left, without lifts (they would
// be written out) and without a transpose on the right, that nothing else reads. It costs a product
// for each plain row and for each product that the gather reads again, and the concat of the two
// sides' sources where they differ; it saves the elements that concat and gather move. It is done
// where the multiply-adds added are at most the elements saved, for weights of at most 16 rows:
// beyond those, products and the weights that they read dominate.
//
// By an identity matrix an infinite element makes the others of its row NaN (0 times infinity):
// left where a plain row may be infinite by a constant or a function (doubtful_values.h).
#pragma once

#include <cstdint>

#include "vecc/program.h"

namespace vecc::opt {

/// Joins where it pays; how many segments it changed.
[[nodiscard]] std::uint64_t join_mixed_linears(Program& program);

}  // namespace vecc::opt
