// Functions over rows as libtorch calls. A value is a tensor [rows, size], a row being row-major;
// it may be a view with any strides. Everything here only launches: nothing waits for the device.
// While a run records, each has the derivative that docs/functions.md states.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <span>
#include <vector>

#include "backends/torch/device_arrays.h"
#include "vecc/function.h"

namespace vecc::libtorch {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The entries of a row of this shape, as libtorch counts.
[[nodiscard]] inline std::int64_t size_of(Shape shape) {
  return static_cast<std::int64_t>(shape.size());
}

/// Rows of one shape.
struct Rows {
  at::Tensor tensor;
  Shape shape;
};

/// Each row, of this shape, transposed.
[[nodiscard]] at::Tensor transpose_rows(const at::Tensor& x, Shape shape);

/// A transformation whose words are on the device.
class RowTransformation {
 public:
  RowTransformation() = default;
  /// `words`: word_count() words for all rows, or as many a row; they fit (the op was checked).
  RowTransformation(const TransformationSpec& spec, std::span<const std::uint32_t> words,
                    Shape input, DeviceArrays& arrays);

  [[nodiscard]] Shape result_shape() const { return result_; }
  [[nodiscard]] at::Tensor operator()(const at::Tensor& x) const;
  /// Its gradient in direction g; x and y are undefined where derivative_reads_argument() and
  /// derivative_reads_result() say that they are not read. Unrecorded.
  [[nodiscard]] at::Tensor differentiate(const at::Tensor& x, const at::Tensor& y,
                                         const at::Tensor& g) const;

 private:
  [[nodiscard]] at::Tensor differentiate_entries(const at::Tensor& x, const at::Tensor& y,
                                                 const at::Tensor& g) const;
  [[nodiscard]] at::Tensor apply(const at::Tensor& x) const;
  [[nodiscard]] at::Tensor slice(const at::Tensor& x) const;

  TransformationSpec spec_;
  Words words_{};         // where all rows share them
  at::Tensor positions_;  // else, for Slice and AtIndex: [rows, result size] entries to read
  Shape input_;
  Shape result_;
};

/// A `map`'s expression; its operands have the result's rows, or one row.
class RowExpression {
 public:
  RowExpression(const Expr& expr, std::span<const Shape> operands, DeviceArrays& arrays);
  [[nodiscard]] at::Tensor operator()(std::span<const at::Tensor> operands) const;

 private:
  struct Node {
    ExprNode node;
    Shape operand;                     // Input
    at::Tensor constant;               // Constant, Count: one row
    RowTransformation transformation;  // Transform
  };
  std::vector<Node> nodes_;
};

/// How an operand's rows meet a grid of outer * inner rows (outer slower): all of them, or the same
/// for every outer (for every inner) index.
enum class Spread : std::uint8_t { None, OverOuter, OverInner };
struct GridOperand {
  at::Tensor tensor;
  Shape shape;  ///< before the transpose
  bool transpose = false;
  Spread spread = Spread::None;
};
/// NeuraLogic's `times` at every point of the grid; [outer * inner, size]. No operand is copied to
/// be spread.
[[nodiscard]] at::Tensor multiply_rows(const GridOperand& left, const GridOperand& right,
                                       std::int64_t outer, std::int64_t inner);

/// Of `contract`: g, x and the weight.
struct GradientShapes {
  Shape g;
  Shape x;
  Shape weight;
};
/// d times(w, x) / d w in direction g, a row each: [rows, weight size].
[[nodiscard]] at::Tensor weight_gradients(const at::Tensor& g, const at::Tensor& x,
                                          const GradientShapes& shapes);

/// Sum of each row's entries, from first to last: [rows, 1]. Unrecorded: only for comparing.
[[nodiscard]] at::Tensor sum_entries(const at::Tensor& x);
/// Projection of each row on the simplex.
[[nodiscard]] at::Tensor sparsemax_rows(const at::Tensor& x);
/// Its gradient, from its result y; `sums` gives each entry (or each row, which spreads) the sum
/// over those that y was made from together.
[[nodiscard]] at::Tensor differentiate_sparsemax(
    const at::Tensor& y, const at::Tensor& g,
    const std::function<at::Tensor(const at::Tensor&)>& sums);

}  // namespace vecc::libtorch
