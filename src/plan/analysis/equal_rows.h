// Rows that are the same wherever their row numbers are.
#pragma once

#include "vecc/program.h"

namespace vecc {

/// Whether rows of `value` with one number in the rows of `numbers`, of which there are as many,
/// have the same bits whatever the Program computes: they are made, row by row, of rows taken by
/// these numbers and of sums of equal numbers. Linear in the ops before `value`.
[[nodiscard]] bool has_equal_rows(const Program& program, ValueId value, ValueId numbers);

}  // namespace vecc
