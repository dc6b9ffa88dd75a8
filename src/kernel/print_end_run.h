// The kernel that ends a run of a series, as CUDA C++.
#pragma once

#include <string>

#include "vecc/program.h"

namespace vecc {

/// A unit with the kernel vecc_end_run of one block: `(const Bound arguments, unsigned* run)`,
/// where Bound is a pointer to a Series of prelude/series.h: ends run number *run, and counts it.
[[nodiscard]] std::string print_end_run(DType dtype);

}  // namespace vecc
