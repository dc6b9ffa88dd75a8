// Products of a matrix that rows share with a column of each row, in blocks of rows.
#pragma once

#include "src/kernel/schedule/kernel_schedule.h"
#include "vecc/kernel.h"

namespace vecc {

/// Rows of a C++ kernel's block.
inline constexpr std::uint32_t kCppBlock = 8;
/// Members of a C++ kernel's sum of outer products, at once: the sum is read and written for each.
inline constexpr std::uint32_t kCppMembers = 32;

/// Decides whether the rows of a kernel run in blocks for such a product, and how: loop, product,
/// parts and shared_bytes of a schedule whose lanes are known.
void schedule_row_product(const Kernel& kernel, KernelSchedule& schedule);

}  // namespace vecc
