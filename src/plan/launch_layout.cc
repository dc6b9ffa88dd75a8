#include "src/plan/launch_layout.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "src/plan/row_cost.h"

namespace vecc {
namespace {

// Longer segments are reduced in pieces, so that blocks share them: of short rows a block takes
// many members at once, of wide ones a warp takes one after the other.
constexpr std::uint32_t kLongestGpuPiece = 512;
constexpr std::uint32_t kLongestWideGpuPiece = 64;
// Of values that have memory of their own: about what a large GPU's cache holds.
constexpr std::uint64_t kLeastReusedElements = 1u << 24;
// As many blocks as a large GPU runs at once.
constexpr std::uint32_t kEvenPieces = 1056;
// Rows of a product that one of a block's warps has at least.
constexpr std::uint32_t kWarpRows = 32;
// Entries of a flat kernel that a thread computes.
constexpr std::uint32_t kFlatSteps = 4;

constexpr double kWarp = 32;
// Measured on an H200: instructions that a processor begins in a cycle, while others wait for
// memory; cycles of a member of a row that all wait for, of each of its instructions, and of each
// line of the cache that a warp reads for it.
constexpr double kPerCycle = 1.6;
constexpr double kMemberWait = 350;
constexpr double kInstructionWait = 6;
constexpr double kLineWait = 16;
// Joins of halves that joining a block's warps is like.
constexpr double kBlockJoin = 12;

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

// Rows of a block for products: fewer than it can have if others were without any.
std::uint32_t rows_of_products(const Launch& launch, std::uint32_t most) {
  while (most > kWarpRows && launch.rows < most * kProcessors) most /= 2;
  return most;
}

}  // namespace

PlanOptions for_gpu(PlanOptions options) {
  options.longest_piece = kLongestGpuPiece;
  options.longest_wide_piece = kLongestWideGpuPiece;
  options.even_pieces = kEvenPieces;
  options.for_vectors = false;
  options.least_blocked_entries = kLeastBlockedEntries;
  options.least_reused_elements = kLeastReusedElements;
  options.levels_at_once = true;
  return options;
}

PlanOptions for_gpu_parts(PlanOptions options) {
  options = for_gpu(std::move(options));
  options.longest_wide_piece = kLongestGpuPiece;
  options.even_pieces = 0;
  options.least_reused_elements = std::numeric_limits<std::uint64_t>::max();
  return options;
}

std::uint32_t choose_slots(const Plan& plan, const Launch& launch, const CudaLayout& layout,
                           std::uint32_t processors) {
  if (!layout.shares_members) return 1;
  const Lengths lengths = lengths_of(plan, launch);
  const double rows = std::max(launch.rows, 1u);
  const double mean = static_cast<double>(lengths.all) / rows;
  const RowCost cost = cost_of_row(plan.kernels[launch.kernel], layout.lanes);
  const double wait =
      kMemberWait + kInstructionWait * cost.member + kLineWait * kWarp / layout.lanes;
  // Cycles, squared: what processors begin, and the longest row, of which others hide some. (No
  // root: that may differ from one machine to the next, and then the order of sums.)
  const auto time_of = [&](std::uint32_t slots, double join) {
    const double members = std::max(mean / slots, std::min(mean, 1.0));
    const double warps = rows * layout.lanes * slots / kWarp;
    const double begun =
        warps * (cost.row + join + members * cost.member) / (processors * kPerCycle);
    const double longest = wait * ((lengths.largest + slots - 1) / slots) + join;
    return begun * begun + longest * longest;
  };
  std::uint32_t best = 1;
  double least = time_of(1, 0);
  const auto consider = [&](std::uint32_t slots, double join) {
    const double time = time_of(slots, join);
    if (time >= least) return;
    best = slots;
    least = time;
  };
  double join = 0;
  for (std::uint32_t slots = 2; slots <= warp_slots(layout); slots *= 2) {
    consider(slots, join += cost.halving);
  }
  consider(block_slots(layout), join + kBlockJoin * (1 + cost.halving));
  return best;
}

std::vector<BlockRows> cut_blocks(const Launch& launch, const CudaLayout& layout,
                                  std::uint32_t slots, std::uint32_t most) {
  const std::uint32_t rows_at_once = layout.threads / (layout.lanes * slots);
  const std::uint32_t flat_steps = most == kAnyBlocks ? kFlatSteps : 1;
  std::uint32_t step = layout.flat ? std::max(1u, layout.threads * flat_steps / layout.entries)
                       : layout.block_rows > 0 ? rows_of_products(launch, layout.block_rows)
                                               : rows_at_once;
  const std::uint64_t steps = (std::uint64_t{launch.rows} + step - 1) / step;
  step *= static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (steps + most - 1) / most));
  std::vector<BlockRows> blocks;
  const auto cut = [&](std::uint32_t begin, std::uint32_t end, std::uint32_t type) {
    for (std::uint32_t row = begin; row < end; row += std::min(step, end - row)) {
      for (std::uint32_t part = 0; part < layout.parts; ++part) {
        blocks.push_back({row, row + std::min(step, end - row), layout.parts > 1 ? part : type});
      }
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

}  // namespace vecc
