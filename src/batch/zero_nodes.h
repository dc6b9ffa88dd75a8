// What a kernel computes of zeros: which of its values are 0 for sure where some of its loads are.
#pragma once

#include <cstdint>
#include <vector>

#include "vecc/kernel.h"

namespace vecc {

/// By node, whether it is 0 where all loads of the accesses in `zeros` (by access) are: products of
/// them, sums of nothing else, gradients in their direction. A gradient is 0 times a derivative
/// also where that is infinite.
[[nodiscard]] std::vector<bool> zero_nodes(const Kernel& kernel, const std::vector<bool>& zeros);

/// The accesses in `zeros` without which `node` would be what it is when all of them are 0: of a
/// product with a factor that is 0 then, those of that factor alone. Of several such factors, one
/// that comes from accesses in `given` (a batch's own rows) stands for all, else those that are 0
/// row by row stand for one that is 0 or not in all rows (a statistic of the batch): they have no
/// more rows that are not 0, and the others' need not be looked for. `given` null: of all factors.
[[nodiscard]] std::vector<std::uint32_t> zero_sources(const Kernel& kernel,
                                                      const std::vector<bool>& zeros,
                                                      const std::vector<bool>& zero_nodes,
                                                      const std::vector<bool>* given,
                                                      std::uint32_t node);

}  // namespace vecc
