// Where what a batch consists of lies in the memory that is copied for it:
//
//   Bounds       of all launches, by node        |
//   scalars      parameters of one number        | at the same places for every batch
//   blocks       of all nodes                    |
//   zeros, arrays, numbers to set                  as many as the batch has
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backends/cuda/batch_cutter.h"
#include "backends/cuda/node_code.h"

namespace vecc::cuda {

/// Of a launch's `Bound` (print_cuda()), from the beginning of the memory.
struct BoundPlace {
  std::uint64_t first = 0;
  std::uint64_t accesses = 0;
  std::uint64_t words = 0;

  [[nodiscard]] std::uint64_t data(std::uint64_t access) const { return first + 8 * access; }
  [[nodiscard]] std::uint64_t list(std::uint64_t access) const {
    return first + 8 * (accesses + access);
  }
  [[nodiscard]] std::uint64_t offsets() const { return first + 8 * (2 * accesses + words); }
  [[nodiscard]] std::uint64_t order() const { return offsets() + 8; }
  [[nodiscard]] std::uint64_t rows() const { return order() + 8; }
  [[nodiscard]] std::uint64_t bytes() const { return 8 * (2 * accesses + words) + 24; }
};

struct NodePlace {
  std::uint64_t bounds = 0;
  std::uint64_t blocks = 0;
  std::uint32_t block_count = 0;  ///< of its grid
};

struct BatchLayout {
  std::vector<BoundPlace> bounds;  ///< by launch
  std::vector<NodePlace> nodes;
  std::uint64_t scalars = 0;  ///< kAlignment bytes each
  std::uint64_t fixed = 0;    ///< bytes of what is at the same places

  static constexpr std::uint64_t kAlignment = 16;
  [[nodiscard]] static std::uint64_t aligned(std::uint64_t at) {
    return (at + kAlignment - 1) / kAlignment * kAlignment;
  }
};

/// `bounds`: by launch, without a place. `rows`: the first batch. A node's grid has twice its
/// blocks, and some more: blocks without rows leave; it has fewer where all rows of the step take
/// fewer.
[[nodiscard]] BatchLayout make_batch_layout(std::vector<BoundPlace> bounds,
                                            std::span<const NodeCode> nodes, std::uint64_t scalars,
                                            const BatchCutter& cutter, const BatchRows& rows,
                                            std::span<const LaunchPart> parts);

}  // namespace vecc::cuda
