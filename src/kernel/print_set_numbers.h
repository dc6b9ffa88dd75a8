// The kernel that sets numbers in a device's memory, as CUDA C++.
#pragma once

#include <string>

#include "vecc/program.h"

namespace vecc {

/// A unit with the kernel vecc_set_numbers of blocks of kCudaThreads threads: `(const Bound
/// arguments, const NumberWrite* writes)` of prelude/numbers.h, where Bound is their number, 32
/// bits. No two of them may be of one number.
[[nodiscard]] std::string print_set_numbers(DType dtype);

}  // namespace vecc
