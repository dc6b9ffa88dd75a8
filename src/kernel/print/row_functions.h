// Functions and combinations of whole rows (softmax, sparsemax, norms, slices, products, concat,
// max, ...) and their gradients: calls of the prelude's functions (prelude/rows.h, row_vjps.h,
// combinations.h). In C++ a thread has the rows; in CUDA every lane gets them first
// (cuda_whole_rows.h).
#pragma once

#include <cstdint>

#include "src/kernel/print/body_text.h"

namespace vecc {

/// What computes node `number`, which is declared, in a loop over rows or members.
void print_row_function(BodyText& out, const NodeText& of, std::uint32_t number, KernelSpace space);

/// The same of combinations of a list of rows and of their gradients (row_combinations.cc).
void print_combination(BodyText& out, const NodeText& of, std::uint32_t number);
void print_combination_vjp(BodyText& out, const NodeText& of, std::uint32_t number);

}  // namespace vecc
