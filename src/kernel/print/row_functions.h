// Functions and combinations of whole rows (softmax, sparsemax, norms, slices, products, concat,
// max, ...) and their gradients: calls of the prelude's functions (prelude/rows.h, row_vjps.h,
// combinations.h). In C++ a thread has the rows. Where lanes of a GPU share them (prelude/lanes.h),
// totals go through the lanes, products are computed entry by entry, each lane its own; for all
// else every lane gets the whole rows and calls the same function.
#pragma once

#include <cstdint>

#include "src/kernel/print/body_text.h"

namespace vecc {

/// What computes node `number`, which is declared, in a loop over rows or members.
void print_row_function(BodyText& out, const NodeText& of, std::uint32_t number, KernelSpace space);

/// The same where lanes share a row (cuda_whole_rows.cc).
void print_whole_row(BodyText& out, std::uint32_t number, KernelSpace space);

/// The same of combinations of a list of rows and of their gradients (row_combinations.cc).
void print_combination(BodyText& out, const NodeText& of, std::uint32_t number);
void print_combination_vjp(BodyText& out, const NodeText& of, std::uint32_t number);

}  // namespace vecc
