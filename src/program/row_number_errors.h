// Errors of runs whose row numbers, values of the step, are none: the same text of every backend.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/program/value_indices.h"
#include "vecc/error.h"
#include "vecc/program.h"

namespace vecc {

/// Whole numbers from here on are none of their own: the next one may be the same number.
[[nodiscard]] constexpr double row_number_end(DType dtype) {
  return dtype == DType::F32 ? static_cast<double>(kMostRowsInF32) : 0x1p53;
}

[[nodiscard]] inline bool is_whole_below(double number, double end) {
  return number >= 0 && number < end && number == std::floor(number);
}

/// What ended a run: an op, and the value that its numbers are.
struct RowNumberPlace {
  std::string_view backend;
  ValueId op = 0;
  OpKind kind = OpKind::Take;
  ValueId numbers = 0;
};

/// RowNumber: a draw's step is no whole number below `end`.
[[nodiscard]] Errors step_error(const RowNumberPlace& place, double number, double end);
/// RowNumber: row `row` of the numbers is none of `end` rows.
[[nodiscard]] Errors row_number_error(const RowNumberPlace& place, std::uint32_t row, double number,
                                      double end);
/// An element of a row that is stored.
struct StoredElement {
  std::uint32_t row = 0;
  double value = 0;
};
/// DifferentRows: both would be stored in row `stored`.
[[nodiscard]] Errors different_rows_error(const RowNumberPlace& place, std::uint32_t stored,
                                          std::size_t element, StoredElement first,
                                          StoredElement second);

}  // namespace vecc
