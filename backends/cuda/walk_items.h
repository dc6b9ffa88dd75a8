// Which block does what where one launch goes through a stage (src/kernel/prelude/walk.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/plan/launch_layout.h"

namespace vecc::cuda {

/// As `Item` in prelude/walk.h.
struct WalkItem {
  std::uint32_t step;
  std::uint32_t arguments;
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t type;
  std::uint32_t ends_level;
};
inline constexpr std::uint32_t kNoStep = 0xFFFFFFFFu;

/// A launch of the Plan, as a step.
struct WalkStep {
  std::uint32_t step = 0;       ///< the function's number
  std::uint32_t arguments = 0;  ///< bytes before its own
  std::uint32_t level = 0;      ///< all of the levels before it are done when it begins
  std::uint64_t work = 0;
  std::vector<BlockRows> rows;
};

struct WalkItems {
  std::vector<WalkItem> items;        ///< by block
  std::vector<std::uint32_t> firsts;  ///< by block, and the end
  std::uint32_t most = 0;             ///< of a block
};

/// Levels by launch, from what each waits for (launches before it).
[[nodiscard]] std::vector<std::uint32_t> levels_of(
    std::span<const std::vector<std::uint32_t>> before);

/// What each of `blocks` blocks does, level by level: rows go to the block that has least to do so
/// far in the level. Each block meets the others at the end of each level.
[[nodiscard]] WalkItems make_walk_items(std::span<const WalkStep> steps, std::uint32_t blocks);

}  // namespace vecc::cuda
