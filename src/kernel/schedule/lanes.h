// Which of a GPU's threads share a row, and which numbers of it each of them has.
#pragma once

#include <cstdint>

#include "src/kernel/schedule/kernel_schedule.h"
#include "vecc/kernel.h"

namespace vecc {

/// Rows of so many entries are shared by all threads of a block, and by several blocks.
inline constexpr std::uint64_t kRowOfBlock = 1024;
/// Of so many a warp may have each, where there are rows for all warps.
inline constexpr std::uint64_t kLongestRowOfWarp = 2048;

/// Of a row of so many entries, how many a lane moves at once, and has: kPack and kOwn of
/// prelude/lanes.h.
[[nodiscard]] std::uint64_t lane_pack(std::uint64_t entries, std::uint64_t lanes);
[[nodiscard]] std::uint64_t lane_entries(std::uint64_t entries, std::uint64_t lanes);
/// Entries of a row that a thread has: all of them in C++ (0 lanes).
[[nodiscard]] std::uint64_t own_entries(std::uint64_t entries, std::uint32_t lanes);
/// Whether a lane's loop over so many entries is unrolled.
[[nodiscard]] bool unrolls(std::uint64_t entries, std::uint32_t lanes);

/// What a launch may choose from: powers of two between the fewest and the most.
struct LaneChoices {
  bool flat = false;  ///< a thread an entry
  bool wide = false;  ///< rows that fill blocks: row_parts()
  std::uint32_t most_lanes = 1;
  std::uint32_t fewest_lanes = 1;
  std::uint32_t most_threads = kCudaThreads;
  std::uint32_t fewest_threads = kCudaThreads;
  /// Whether groups of lanes may share a row's members: `slots` of a MemberLoop above 1.
  bool shares_members = false;
};
/// `by_warps`: rows of up to kLongestRowOfWarp may be a warp's, not a block's.
[[nodiscard]] LaneChoices lane_choices(const Kernel& kernel, bool by_warps = false);
/// The most lanes and threads of these.
[[nodiscard]] MemberLoops most_of(const Kernel& kernel, const LaneChoices& choices);

/// Blocks that share rows of which a block has an entry a lane; 1 if none do.
[[nodiscard]] std::uint32_t row_parts(const Kernel& kernel, const LaneChoices& choices,
                                      std::uint32_t lanes);

/// Whether the lanes of a row take numbers of a phase's members each.
[[nodiscard]] bool lanes_share_members(const Kernel& kernel, const KernelPhase& phase,
                                       std::uint32_t lanes);
/// Whether several members of a phase may be loaded at once on a GPU.
[[nodiscard]] bool may_batch(const Kernel& kernel, const KernelPhase& phase);
/// Whether any phase does.
[[nodiscard]] bool uses_batches(const Kernel& kernel);

}  // namespace vecc
