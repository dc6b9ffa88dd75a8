// The kernels of this program; kernels/table.cc lists them.
#pragma once

#include <span>
#include <string_view>

#include "kernel_function.h"  // the language's own

namespace vecc::emitted {

struct KernelCode {
  KernelFunction narrow;  ///< for lists of 16 bits; null if it reads none
  KernelFunction wide;    ///< of 32 bits
};

[[nodiscard]] std::span<const KernelCode> kernels();
/// Of their text.
[[nodiscard]] std::string_view kernel_digest();

}  // namespace vecc::emitted
