// Sums of outer products over members: the gradients of matrices.
#pragma once

#include <cstdint>
#include <optional>

#include "src/kernel/schedule/kernel_schedule.h"
#include "vecc/kernel.h"
#include "vecc/target.h"

namespace vecc {

/// Shorter rows fill no vector register.
inline constexpr std::uint32_t kLeastColumn = 8;
/// Products of rows that share a matrix run in blocks of rows from as many entries a row on:
/// shorter ones would leave too many threads without work.
inline constexpr std::uint32_t kLeastBlockedEntries = 17;
/// So few that a kernel may have several such products; a CPU's rows run in blocks of any.
[[nodiscard]] inline std::uint32_t least_blocked_entries(const Target& target) {
  return target.has_shared_memory() ? kLeastBlockedEntries : 1;
}

/// Nodes of such a sum: the left and the right column of a member, their product, the sum.
struct OuterProductSum {
  std::uint32_t left = 0;
  std::uint32_t right = 0;
  std::uint32_t product = 0;
  std::uint32_t sum = 0;
  std::optional<std::uint32_t> left_sum;  ///< of the left columns, beside it
};
/// Of a phase that does nothing else.
[[nodiscard]] std::optional<OuterProductSum> outer_product_sum(const Kernel& kernel,
                                                               const KernelPhase& phase);
/// The same, or of one that adds up the left columns, too: a C++ kernel's.
[[nodiscard]] std::optional<OuterProductSum> outer_product_sums(const Kernel& kernel,
                                                                const KernelPhase& phase);

/// Whether threads of a block have the tiles of an m x n matrix in registers.
[[nodiscard]] bool fits_tiles(std::uint64_t m, std::uint64_t n);
/// A matrix of which a block of threads has a part: products with it, and sums of outer products
/// that are one, stand alone in their kernels, and several blocks share them.
[[nodiscard]] bool is_large_matrix(Shape shape);
/// Blocks that share a side of so many entries of such a matrix.
[[nodiscard]] std::uint32_t large_tiles(std::uint64_t entries, std::uint32_t side = kLargeSide);
/// Of a product's entries, and of a sum of outer products.
[[nodiscard]] std::uint32_t parts_of_product(std::uint64_t entries, MatmulPrecision precision);
[[nodiscard]] std::uint32_t parts_of_sum(Shape matrix, MatmulPrecision precision);

/// The store of a sum that is a large matrix, if that is all the kernel does.
[[nodiscard]] std::optional<std::uint32_t> only_large_sum(const Kernel& kernel);

/// How such a sum is computed where `lanes` share a row; 0: in C++, by `tiles`.
[[nodiscard]] PhaseSchedule schedule_outer_products(const Kernel& kernel, const OuterProductSum& of,
                                                    std::uint32_t lanes,
                                                    const ProcessorTiles& tiles);

}  // namespace vecc
