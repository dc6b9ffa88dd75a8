#include "backends/cuda/launch_layout.h"

#include <algorithm>

namespace vecc::cuda {
namespace {

// Means and largest numbers of members from which more threads pay.
constexpr std::uint32_t kWarpMean = 4;
constexpr std::uint32_t kWarpLargest = 16;
constexpr std::uint32_t kBlockMean = 128;
constexpr std::uint32_t kBlockLargest = 512;
// Threads that run at once on a large GPU.
constexpr std::uint64_t kManyThreads = 132 * 2048;
// Entries of a flat kernel that a thread computes.
constexpr std::uint32_t kFlatSteps = 4;

struct Lengths {
  std::uint64_t all = 0;
  std::uint32_t largest = 0;
};

Lengths lengths_of(const Plan& plan, const Launch& launch) {
  const Kernel& kernel = plan.kernels[launch.kernel];
  if (kernel.segments != KernelSegments::Ragged) {
    const std::uint32_t members = kernel.members > 0 ? kernel.members : launch.members;
    return {std::uint64_t{members} * launch.rows, members};
  }
  const std::vector<std::uint32_t>& offsets = *plan.arrays[launch.offsets];
  Lengths lengths{offsets[launch.rows], 0};
  for (std::uint32_t row = 0; row < launch.rows; ++row) {
    lengths.largest = std::max(lengths.largest, offsets[row + 1] - offsets[row]);
  }
  return lengths;
}

}  // namespace

std::uint32_t choose_slots(const Plan& plan, const Launch& launch, const CudaLayout& layout) {
  if (!layout.shares_members) return 1;
  const Lengths lengths = lengths_of(plan, launch);
  const std::uint64_t mean = lengths.all / std::max(launch.rows, 1u);
  const bool fills = std::uint64_t{launch.rows} * kCudaThreads > kManyThreads;
  if (mean >= kBlockMean || (lengths.largest >= kBlockLargest && !fills))
    return block_slots(layout);
  const bool fills_by_warps = std::uint64_t{launch.rows} * 32 > kManyThreads;
  if (mean >= kWarpMean || (lengths.largest >= kWarpLargest && !fills_by_warps)) {
    return warp_slots(layout);
  }
  return 1;
}

std::vector<BlockRows> cut_blocks(const Launch& launch, const CudaLayout& layout,
                                  std::uint32_t slots, std::uint32_t most) {
  const std::uint32_t rows_at_once = kCudaThreads / (layout.lanes * slots);
  const std::uint32_t flat_steps = most == kAnyBlocks ? kFlatSteps : 1;
  std::uint32_t step = layout.flat ? std::max(1u, kCudaThreads * flat_steps / layout.entries)
                       : layout.block_rows > 0 ? layout.block_rows
                                               : rows_at_once;
  const std::uint64_t steps = (std::uint64_t{launch.rows} + step - 1) / step;
  step *= static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (steps + most - 1) / most));
  std::vector<BlockRows> blocks;
  const auto cut = [&](std::uint32_t begin, std::uint32_t end, std::uint32_t type) {
    for (std::uint32_t row = begin; row < end; row += std::min(step, end - row)) {
      blocks.push_back({row, row + std::min(step, end - row), type});
    }
  };
  if (launch.tile_types.empty()) {
    cut(0, launch.rows, 0);
  } else {
    for (std::size_t t = 0; t < launch.tile_types.size(); ++t) {
      cut(launch.tiles[t], launch.tiles[t + 1], launch.tile_types[t]);
    }
  }
  return blocks;
}

}  // namespace vecc::cuda
