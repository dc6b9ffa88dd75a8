// How the C++ of kernels is compiled, by vecc itself and in the programs that it writes.
#pragma once

#include <span>

namespace vecc {

/// Options of GCC and clang on every processor; none changes results.
[[nodiscard]] std::span<const char* const> kernel_flags();
/// And for the very processor, of x86 and of Arm. A product is added by one rounding only where
/// they are given and the processor can do that.
[[nodiscard]] std::span<const char* const> x86_kernel_flags();
[[nodiscard]] std::span<const char* const> arm_kernel_flags();

/// Options of NVRTC and nvcc for kernels, which are C++17.
[[nodiscard]] std::span<const char* const> cuda_kernel_flags();

}  // namespace vecc
