// Shapes of values and weights by their dimensions.
//
// NeuraLogic's `times` makes a scalar of every 1x1 product, so a computed value of one dimension is
// a scalar, never a 1x1 matrix. The same convention for facts and weights lets every dimension
// work: [n,m] times a value of m is a value of n, also where n, m or both are 1.
#pragma once

#include <cstdint>
#include <string>

#include "vecc/shape.h"

namespace vecc::tools {

/// A node's value of n dimensions: a column, or a scalar if n is 1.
[[nodiscard]] constexpr Shape value_shape(std::uint32_t n) {
  return n == 1 ? Shape::scalar() : Shape::column(n);
}
/// A weight that takes values of m dimensions to values of n: n x m, or a scalar if both are 1.
[[nodiscard]] constexpr Shape weight_shape(std::uint32_t n, std::uint32_t m) {
  return n == 1 && m == 1 ? Shape::scalar() : Shape(n, m);
}
/// A weight as NeuraLogic's templates write it: "{10,7}".
[[nodiscard]] inline std::string weight_text(std::uint32_t n, std::uint32_t m) {
  return "{" + std::to_string(n) + "," + std::to_string(m) + "}";
}

}  // namespace vecc::tools
