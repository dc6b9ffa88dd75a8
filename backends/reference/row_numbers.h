// Row numbers that a Program computes: `draw`, `take`, `sum_equal`, `scatter_sum`, `update` by a
// value.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backends/reference/rows.h"
#include "vecc/program.h"

namespace vecc::reference {

/// Whether an op may run on these operands. Errors: RowNumber (what counts rows, or steps, is no
/// whole number, or none of theirs), DifferentRows (an update would store different rows in one).
[[nodiscard]] Result<void> check_row_numbers(const Program& program, ValueId id,
                                             std::span<const Rows> operands);

/// Of scalars that check_row_numbers() has passed.
[[nodiscard]] inline std::uint32_t row_number(const Rows& numbers, std::uint32_t i) {
  return static_cast<std::uint32_t>(numbers.row(i)[0]);
}

/// 0 .. rows - 1 by their numbers; those of one number in their order.
[[nodiscard]] std::vector<std::uint32_t> sorted_by_number(const Rows& numbers);

/// To row i of `result` is added the sum of the rows of `g` whose numbers are row i's, in their
/// order.
void add_equal_sums(const Rows& g, const Rows& numbers, const MutableRows& result);

}  // namespace vecc::reference
