// Sums of outer products over members (gradients of matrices), of which no product is kept.
#pragma once

#include <string>

#include "src/kernel/print/body_text.h"

namespace vecc {

/// In C++ eight members at once: one product of matrices (cpp_outer_products.cc).
void print_cpp_outer_products(BodyText& out, const KernelPhase& phase);

/// In CUDA by warps, blocks or tensor cores (cuda_outer_products.cc).
void print_cuda_outer_products(BodyText& out, const KernelPhase& phase,
                               const PhaseSchedule& schedule);
/// All rows of a kernel that is such a sum of a matrix which blocks share; `row` is the row at
/// place q.
void print_large_sums(BodyText& out, const std::string& row);

}  // namespace vecc
