// The shape of one neuron's value: a scalar, a column [n,1], a row [1,n] or a matrix [m,n].
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace vecc {

/// Scalar, or rows x cols (row-major). A scalar is not a 1x1 matrix: it broadcasts, a 1x1 does
/// not. Text form: `1` for a scalar, else `3x1`.
class Shape {
 public:
  /// A scalar.
  constexpr Shape() = default;
  /// rows x cols, both at least 1.
  constexpr Shape(std::uint32_t rows, std::uint32_t cols) : rows_(rows), cols_(cols) {}
  static constexpr Shape scalar() { return {}; }
  static constexpr Shape column(std::uint32_t n) { return {n, 1}; }
  static constexpr Shape row(std::uint32_t n) { return {1, n}; }

  [[nodiscard]] constexpr bool is_scalar() const { return rows_ == 0; }
  [[nodiscard]] constexpr bool is_vector() const { return rows_ == 1 || cols_ == 1; }
  [[nodiscard]] constexpr bool is_matrix() const { return rows_ > 1 && cols_ > 1; }
  [[nodiscard]] constexpr std::uint32_t rows() const { return is_scalar() ? 1 : rows_; }
  [[nodiscard]] constexpr std::uint32_t cols() const { return is_scalar() ? 1 : cols_; }
  /// Number of elements.
  [[nodiscard]] constexpr std::uint64_t size() const {
    return std::uint64_t{rows()} * std::uint64_t{cols()};
  }
  [[nodiscard]] constexpr Shape transposed() const {
    return is_scalar() ? Shape{} : Shape{cols_, rows_};
  }
  constexpr bool operator==(const Shape&) const = default;
  /// Any total order, for sorting.
  constexpr auto operator<=>(const Shape&) const = default;

  [[nodiscard]] std::string text() const;

 private:
  std::uint32_t rows_ = 0;
  std::uint32_t cols_ = 0;
};

/// Shape of NeuraLogic's `left times right`: a scalar scales anything; otherwise the matrix
/// product, whose 1x1 result (row times column: the dot product) is a scalar. None if the inner
/// sides differ (column times column).
[[nodiscard]] std::optional<Shape> times_shape(Shape left, Shape right);

/// Shape of NeuraLogic's `left plus right` (and of the elementwise product): a scalar broadcasts;
/// two vectors need equal length only and take the left one's orientation; matrices need equal
/// shapes. None otherwise.
[[nodiscard]] std::optional<Shape> plus_shape(Shape left, Shape right);

}  // namespace vecc

template <>
struct std::hash<vecc::Shape> {
  std::size_t operator()(const vecc::Shape& s) const noexcept {
    return (std::uint64_t{s.is_scalar() ? 0 : s.rows()} << 32 | s.cols()) * 0x9E3779B97F4A7C15ull;
  }
};
