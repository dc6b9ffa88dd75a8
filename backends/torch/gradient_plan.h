// What is decided about gradients before anything runs: which values have one, and which values'
// gradients are collected row by row, as their readers read only parts of them.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "backends/torch/buffer_plan.h"
#include "backends/torch/fused_reads.h"

namespace vecc::libtorch {

inline constexpr std::uint32_t kNoRows = std::numeric_limits<std::uint32_t>::max();

/// Rows that a gradient is collected in.
struct CollectedRows {
  std::uint32_t rows = 0;
  Shape shape;
};

struct GradientPlan {
  std::vector<bool> needed;              ///< by value: it depends on a parameter
  std::vector<CollectedRows> collected;  ///< the blocks
  /// By value: its block, which begins with its row 0; kNoRows if its readers pass on gradients of
  /// all its rows. Concats that share a buffer share a block.
  std::vector<std::uint32_t> block;
};
/// `gradients` = false: nothing needs one.
[[nodiscard]] GradientPlan plan_gradients(const Program& program, const FusedReads& fused,
                                          const BufferPlan& buffers, bool gradients);

}  // namespace vecc::libtorch
