// Kernels as C++: parts of compile units.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vecc/kernel.h"

namespace vecc {

struct CppKernel {
  std::string text;
  /// What every thread that runs it has of its own, in Arguments::scratch; 0 for all but long rows.
  std::uint64_t scratch_bytes = 0;
};

/// A part that defines `NAME_16` and `NAME_32`, for lists of 16 and of 32 bits (only the latter if
/// there are none), each `void(const void* arguments, unsigned begin, unsigned end, unsigned
/// type)`: rows begin .. end - 1, or the rows at these places of the order; `arguments` is an
/// Arguments. The prelude stands before it.
[[nodiscard]] CppKernel print_cpp(const Kernel& kernel, std::string_view name = "vecc_kernel");

/// Whether the kernel reads lists or an order, so that their width matters.
[[nodiscard]] bool has_lists(const Kernel& kernel);

}  // namespace vecc
