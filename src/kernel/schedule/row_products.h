// Products of a matrix that rows share with a column of each row, in blocks of rows.
#pragma once

#include "src/kernel/schedule/kernel_schedule.h"
#include "vecc/kernel.h"

namespace vecc {

/// Rows of a C++ kernel's block: whole tiles of 3, 6 and 8 rows (prelude/packs.h).
inline constexpr std::uint32_t kCppBlock = 24;

/// Whether steps before a product make its columns, each in an array of its own: else it is loaded.
[[nodiscard]] bool makes_columns(const Kernel& kernel, const ProductSchedule& product);

/// Decides whether the rows of a kernel run in blocks for such a product, and how: loop, product,
/// parts and shared_bytes of a schedule whose lanes are known.
void schedule_row_product(const Kernel& kernel, KernelSchedule& schedule);

}  // namespace vecc
