// One op of a Program in double.
#pragma once

#include <span>
#include <vector>

#include "vecc/program.h"

namespace vecc {

/// Rows of one value: rows * shape.size() entries, row-major.
struct RowBlock {
  std::uint32_t rows = 0;
  Shape shape;
  std::vector<double> values;

  RowBlock() = default;
  RowBlock(std::uint32_t row_count, Shape row_shape)
      : rows(row_count), shape(row_shape), values(row_count * row_shape.size()) {}
  [[nodiscard]] std::span<const double> row(std::size_t i) const {
    return std::span(values).subspan(i * shape.size(), shape.size());
  }
  [[nodiscard]] std::span<double> row(std::size_t i) {
    return std::span(values).subspan(i * shape.size(), shape.size());
  }
};

/// The value of an op that only reads its operands (`values`, by value id): every op except
/// weight and state. An update's value is its operand 1; storing it is the caller's.
[[nodiscard]] RowBlock interpret_op(const Op& op, std::span<const RowBlock> values);

}  // namespace vecc
