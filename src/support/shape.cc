#include "vecc/shape.h"

namespace vecc {

std::string Shape::text() const {
  if (is_scalar()) return "1";
  return std::to_string(rows_) + "x" + std::to_string(cols_);
}

std::optional<Shape> times_shape(Shape left, Shape right) {
  if (left.is_scalar()) return right;
  if (right.is_scalar()) return left;
  if (left.cols() != right.rows()) return std::nullopt;
  if (left.rows() == 1 && right.cols() == 1) return Shape::scalar();
  return Shape(left.rows(), right.cols());
}

std::optional<Shape> plus_shape(Shape left, Shape right) {
  if (left.is_scalar()) return right;
  if (right.is_scalar() || left == right) return left;
  if (left.is_vector() && right.is_vector() && left.size() == right.size()) return left;
  return std::nullopt;
}

}  // namespace vecc
