// Phases that only sum over members, in loops of the prelude's: segment sums, and sums of outer
// products (gradients of matrices), of which no product is kept.
#pragma once

#include <string>

#include "src/kernel/print/body_text.h"

namespace vecc {

/// Sums and means of rows that are only loaded, in C++: in registers (prelude/members.h).
void print_segment_sum(BodyText& out, const KernelPhase& phase);

/// Sums of outer products, in C++ several members at once: one product of matrices
/// (cpp_outer_products.cc).
void print_cpp_outer_products(BodyText& out, const KernelPhase& phase,
                              const PhaseSchedule& schedule);

/// In CUDA by warps, blocks or tensor cores (cuda_outer_products.cc).
void print_cuda_outer_products(BodyText& out, const KernelPhase& phase,
                               const PhaseSchedule& schedule);
/// All rows of a kernel that is such a sum of a matrix which blocks share; `row` is the row at
/// place q.
void print_large_sums(BodyText& out, const std::string& row);

}  // namespace vecc
