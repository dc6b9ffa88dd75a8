// What a kernel computes of what is at rest: which of its values are 0, or infinite, for sure where
// some of its loads are.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "vecc/kernel.h"

namespace vecc {

/// What a value is but for a batch.
enum class Rest : std::uint8_t {
  None,  ///< anything
  Zero,
  Lowest,   ///< -infinity: the logarithm of a weight
  Highest,  ///< infinity
};
[[nodiscard]] constexpr double value_of(Rest rest) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return rest == Rest::Lowest ? -kInfinity : rest == Rest::Highest ? kInfinity : 0.0;
}

/// By node, what it is where all loads are what `loads` (by access) says: products of 0, sums of
/// nothing else or of something infinite, gradients in a direction that is 0. A gradient is 0 times
/// a derivative also where that is infinite.
[[nodiscard]] std::vector<Rest> rest_nodes(const Kernel& kernel, const std::vector<Rest>& loads);

/// Whether a selection of the largest (smallest) member passes over members at rest.
[[nodiscard]] bool never_selects(const KernelNode& node, const std::vector<Rest>& rests);

/// The accesses in `zeros` without which `node` would be what it is when all of them are at rest:
/// of a product with a factor that is 0 then, those of that factor alone, of a sum with an infinite
/// term those of that term. Of several such factors one that loads what is `given` (by access: a
/// batch's own rows) stands for all, so that the others need not be looked for: it has no more rows
/// that are not 0 than they.
[[nodiscard]] std::vector<std::uint32_t> zero_sources(const Kernel& kernel,
                                                      const std::vector<bool>& zeros,
                                                      const std::vector<Rest>& rests,
                                                      const std::vector<bool>& given,
                                                      std::uint32_t node);

}  // namespace vecc
