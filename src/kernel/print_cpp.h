// Kernels as C++: parts of compile units.
#pragma once

#include <string>
#include <string_view>

#include "src/kernel/schedule/kernel_schedule.h"
#include "vecc/kernel.h"

namespace vecc {

/// What of a kernel is printed: each is a loop of its own, which takes the compiler's time.
struct CppVariants {
  bool narrow = true;   ///< for lists of 16 bits; of a kernel that has lists
  bool wide = true;     ///< for lists of 32 bits
  bool ordered = true;  ///< for rows in an order; of a kernel that may have one
  bool direct = true;   ///< for all rows as they come; of a kernel whose tiles have no type
};

/// A part that defines `NAME_16` and `NAME_32`, for lists of 16 and of 32 bits (only the latter if
/// there are none), each `void(const void* arguments, unsigned begin, unsigned end, unsigned
/// type)`: rows begin .. end - 1, or the rows at these places of the order; `arguments` is an
/// Arguments, of which `scratch` are schedule.scratch_bytes of the thread's own. The prelude stands
/// before it. What is not one of `variants` is missing, and an order is not asked for.
[[nodiscard]] std::string print_cpp(const Kernel& kernel, const KernelSchedule& schedule,
                                    std::string_view name = "vecc_kernel",
                                    const CppVariants& variants = {});

}  // namespace vecc
