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
  std::uint32_t ends;  ///< kEndsPhase, kEndsStage, kEndsLevel
  std::uint32_t turn;  ///< the thread of its first row
};
inline constexpr std::uint32_t kNoStep = 0xFFFFFFFFu;
inline constexpr std::uint32_t kEndsPhase = 1;
inline constexpr std::uint32_t kEndsStage = 2;
inline constexpr std::uint32_t kEndsLevel = 4;

/// A launch of the Plan, as a step. Blocks wait for one another between phases; within a phase,
/// level by level, each goes on when its own rows are done.
struct WalkStep {
  std::uint32_t step = 0;       ///< the function's number
  std::uint32_t arguments = 0;  ///< bytes before its own
  std::uint32_t phase = 0;
  std::uint32_t level = 0;
  std::uint64_t work = 0;
  std::vector<std::uint32_t> row_threads;  ///< that work on a row, by its class; one: of all
  std::vector<BlockRows> rows;
  std::vector<std::uint32_t> blocks;  ///< by `rows`; empty: whichever has least to do
};

struct WalkItems {
  std::vector<WalkItem> items;  ///< by block, `most` each: those after the stage's end do nothing
  std::uint32_t most = 0;
};

/// Levels by launch, from what each waits for (launches before it).
[[nodiscard]] std::vector<std::uint32_t> levels_of(
    std::span<const std::vector<std::uint32_t>> before);

/// What each of `blocks` blocks does, phase by phase and level by level: rows go to their block, or
/// to the one that has least to do so far in the phase. Blocks meet at the end of each phase.
[[nodiscard]] WalkItems make_walk_items(std::span<const WalkStep> steps, std::uint32_t blocks);

}  // namespace vecc::cuda
