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
/// The same where only one member of a row has such loads: what members reduce to is anything (the
/// gradient of a softmax is not 0 where one direction is).
[[nodiscard]] std::vector<Rest> rest_nodes_of_member(const Kernel& kernel,
                                                     const std::vector<Rest>& loads);

/// Whether a selection of the largest (smallest) member passes over members at rest.
[[nodiscard]] bool never_selects(const KernelNode& node, const std::vector<Rest>& rests);

/// Of a launch: what is at rest where the buffers that it reads are.
struct LaunchZeros {
  std::vector<bool> loads;  ///< by access: a load of a buffer that is at rest but for a batch
  std::vector<bool> given;  ///< by access: one of them of a weight that the batch gives
  std::vector<bool> own;    ///< by access: one of them that each row or member has its own row of
  std::vector<Rest>
      nodes;  ///< by node of its kernel: rest_nodes() of these loads, or of a member's
};

/// The loads in `zeros` without which `node` would be what it is when all of them are at rest: of a
/// product with factors that are 0 then those of these factors, of a sum with an infinite term
/// those of that term.
[[nodiscard]] std::vector<std::uint32_t> all_zero_sources(const Kernel& kernel,
                                                          const LaunchZeros& zeros,
                                                          std::uint32_t node);
/// Of them enough to know where `node` is not 0. Of a product's factors one stands for all: one
/// that is `given`, which has no more rows that are not 0 than the others; else one that is `own`
/// for those that share rows (the gradient of a neuron by its members); one that is 0 row by row
/// for one that is 0 or not in all rows (a statistic of the batch). Of a gradient its direction.
[[nodiscard]] std::vector<std::uint32_t> zero_sources(const Kernel& kernel,
                                                      const LaunchZeros& zeros, std::uint32_t node);

}  // namespace vecc
