// Products of weights by one-hot facts: columns of the weights, without multiplying.
//
// A *one-hot* row is a column (on the right of a linear) or a row (on the left) of at least two
// elements, one of which is exactly 1 and the others 0. `w x` with x one-hot at k is column k of w,
// with x all zeros it is zeros. If every row that a linear reads on one side is one-hot or zeros,
// of facts, and on the other a row of a weight, each pair of a weight and a k becomes one slice,
// and the linear a gather of those:
//
//   %1 = fact {1, 0, 0, 1} : f32[2, 2x1] ; %2 = gather %1 [1, 0, 1] : f32[3, 2x1]
//   %3 = gather %w [0, 0, 0] : f32[3, 3x2] ; %4 = linear %3, %2 : f32[3, 3x1]
//   =>
//   %1 = gather %w [repeat 1 x 2] : f32[2, 3x2]
//   %2 = transform %1 slice [0, 4294967295, 1, 2, 0, 4294967295, 0, 1] : f32[2, 3x1]
//   %3 = gather %2 [0, 1, 0] : f32[3, 3x1]
//
// (atindex where the product is a dot product.) It does not always pay: the slices and the gather
// move elements, and a backend that stores gathers first copies the whole weight for each slice,
// unless all are slices of one weight, which is a view. A linear is left where these elements are
// as many as its multiply-adds: several weights, each pair of weight and k only once. A computed
// value by one-hot rows is left too: it may be infinite, and 0 times that is no zero.
#pragma once

#include <cstdint>

#include "vecc/optimize.h"

namespace vecc::opt {

/// Replaces such linears where it pays; how many products went.
[[nodiscard]] std::uint64_t slice_one_hot_products(Program& program);

}  // namespace vecc::opt
