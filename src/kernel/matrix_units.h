// Which products of a kernel a GPU's matrix units compute, where Kernel::precision is not Exact:
// those with a matrix that rows share, in blocks of rows, and sums of outer products over members,
// of matrices that have kLeastUnitSide rows and columns at least and fit into a block's memory.
// That depends on the kernel alone: however it is launched, the same products are rounded.
#pragma once

#include <cstdint>

#include "vecc/kernel.h"

namespace vecc {

inline constexpr std::uint64_t kLeastUnitSide = 32;

/// Whether there is any such product: the kernel's text calls prelude/matrix_units.h then.
[[nodiscard]] bool uses_matrix_units(const Kernel& kernel);

}  // namespace vecc
