// Which products of a kernel a GPU's tensor cores compute, where Kernel::precision is not Exact:
// those with a matrix that rows share, in blocks of rows, and sums of outer products over members,
// of matrices that have kLeastTensorSide rows and columns at least.
// That depends on the kernel alone: however it is launched, the same products are rounded.
#pragma once

#include <cstdint>

#include "src/kernel/schedule/entrywise.h"
#include "vecc/kernel.h"

namespace vecc {

inline constexpr std::uint64_t kLeastTensorSide = 32;

/// Whether there is any such product: the kernel's text calls prelude/tensor_core_products.h then.
[[nodiscard]] bool uses_tensor_cores(const Kernel& kernel);

/// Whether a product with a shared matrix has enough rows and columns, and fits into a block's
/// memory. (Several blocks share larger ones: KernelSchedule::is_large().)
[[nodiscard]] bool is_tensor_product(const Kernel& kernel, std::uint32_t node);

/// Of a block: rows, terms of the matrix at a time, bytes of its memory.
struct TensorBlock {
  std::uint32_t rows = 0;
  std::uint32_t depth = 0;
  std::uint32_t bytes = 0;
};
/// With the largest number of rows up to `most` that fits; `kept`: products stay in memory, too.
[[nodiscard]] TensorBlock tensor_block(const ProductShape& shape, MatmulPrecision precision,
                                       std::uint32_t most, bool kept);
/// Bytes of a block's memory for sums of m x n outer products.
[[nodiscard]] std::uint32_t tensor_sum_bytes(std::uint64_t m, std::uint64_t n);

}  // namespace vecc
