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
/// that comes from accesses in `given` (a batch's own rows) stands for all: it has no more rows
/// that are not 0 than they, and these need not be looked for.
[[nodiscard]] std::vector<std::uint32_t> zero_sources(const Kernel& kernel,
                                                      const std::vector<bool>& zeros,
                                                      const std::vector<bool>& zero_nodes,
                                                      const std::vector<bool>& given,
                                                      std::uint32_t node);

}  // namespace vecc
