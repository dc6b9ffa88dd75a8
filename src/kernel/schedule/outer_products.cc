#include "src/kernel/schedule/outer_products.h"

#include <algorithm>

#include "src/kernel/schedule/entrywise.h"
#include "src/kernel/schedule/tensor_cores.h"
#include "src/kernel/schedule/warp_tiles.h"

namespace vecc {

namespace {

// Of a phase's first four steps.
std::optional<OuterProductSum> first_sum(const Kernel& kernel, const KernelPhase& phase) {
  const auto& steps = phase.steps;
  if (steps.size() < 4 || !only_reduces(kernel, phase)) return std::nullopt;
  const OuterProductSum of{steps[0].number, steps[1].number, steps[2].number, steps[3].number,
                           std::nullopt};
  const KernelNode& left = kernel.nodes[of.left];
  const KernelNode& right = kernel.nodes[of.right];
  const KernelNode& product = kernel.nodes[of.product];
  const KernelNode& sum = kernel.nodes[of.sum];
  const bool is_one =
      left.kind == KernelNode::Kind::Load && right.kind == KernelNode::Kind::Load &&
      product.kind == KernelNode::Kind::Times && sum.kind == KernelNode::Kind::Reduce &&
      sum.combination == Combination::Sum && product.operands[0] == of.left &&
      product.operands[1] == of.right && sum.operands[0] == of.product && !product.transpose_left &&
      product.transpose_right && left.shape.cols() == 1 && right.shape.cols() == 1 &&
      right.shape.size() >= kLeastColumn && !left.shape.is_scalar();
  return is_one ? std::optional(of) : std::nullopt;
}

}  // namespace

std::optional<OuterProductSum> outer_product_sum(const Kernel& kernel, const KernelPhase& phase) {
  return phase.steps.size() == 4 ? first_sum(kernel, phase) : std::nullopt;
}

std::optional<OuterProductSum> outer_product_sums(const Kernel& kernel, const KernelPhase& phase) {
  if (phase.steps.size() != 5) return outer_product_sum(kernel, phase);
  std::optional<OuterProductSum> of = first_sum(kernel, phase);
  if (!of) return std::nullopt;
  const KernelNode& last = kernel.nodes[phase.steps[4].number];
  if (last.kind != KernelNode::Kind::Reduce || last.combination != Combination::Sum ||
      last.operands[0] != of->left) {
    return std::nullopt;
  }
  of->left_sum = phase.steps[4].number;
  return of;
}

bool fits_tiles(std::uint64_t m, std::uint64_t n) {
  constexpr std::uint64_t kSide = 16;
  static_assert(kSide * kSide == kCudaThreads, "a thread has a tile");
  constexpr std::uint64_t kMostEntries = 64;
  return (m + kSide - 1) / kSide * ((n + kSide - 1) / kSide) <= kMostEntries;
}

bool is_large_matrix(Shape shape) {
  return std::min(shape.rows(), shape.cols()) >= kLeastBlockedEntries &&
         !fits_tiles(shape.rows(), shape.cols());
}

std::uint32_t large_tiles(std::uint64_t entries, std::uint32_t side) {
  return static_cast<std::uint32_t>((entries + side - 1) / side);
}

std::uint32_t parts_of_product(std::uint64_t entries, MatmulPrecision precision) {
  return large_tiles(entries, precision == MatmulPrecision::Tf32x3 ? kSplitWidth : kLargeSide);
}

std::uint32_t parts_of_sum(Shape matrix, MatmulPrecision precision) {
  if (precision == MatmulPrecision::Tf32x3) {
    return large_tiles(matrix.rows(), kSplitRows) * large_tiles(matrix.cols(), kSplitWidth);
  }
  return large_tiles(matrix.rows()) * large_tiles(matrix.cols());
}

std::optional<std::uint32_t> only_large_sum(const Kernel& kernel) {
  if (kernel.phases.size() != 2 || stores_alias_loads(kernel)) return std::nullopt;
  const auto of = outer_product_sum(kernel, kernel.phases[0]);
  const std::vector<KernelStep>& after = kernel.phases[1].steps;
  if (!of || !is_large_matrix(kernel.nodes[of->sum].shape) || after.size() != 1 ||
      !after[0].store || kernel.stores[after[0].number].value != of->sum) {
    return std::nullopt;
  }
  return kernel.stores[after[0].number].access;
}

namespace {

// Members of a C++ kernel's sum at once: the more, the less often the sum is read and written, as
// long as their columns stay in a core's cache, beside the sum's tiles.
std::uint32_t members_at_once(const Kernel& kernel, std::uint64_t numbers, std::uint64_t bytes) {
  constexpr std::uint32_t kMost = 64;
  constexpr std::uint32_t kFewest = 16;
  std::uint32_t members = kMost;
  while (members > kFewest && members * numbers * byte_size(kernel.dtype) > bytes) members /= 2;
  return members;
}

// Whether the rows that a load has of a segment's members are one behind the other in memory. To
// copy them first takes a third of a sum of 64 x 64, whose products hide that they come from
// memory.
bool lie_in_order(const Kernel& kernel, std::uint32_t load) {
  const KernelAccess& access = kernel.accesses[kernel.nodes[load].access];
  return access.map == RowMap::Direct && access.space == KernelSpace::Member &&
         kernel.segments != KernelSegments::Strided;
}

}  // namespace

PhaseSchedule schedule_outer_products(const Kernel& kernel, const OuterProductSum& of,
                                      std::uint32_t lanes, const ProcessorTiles& tiles) {
  const std::uint64_t m = kernel.nodes[of.left].shape.size();
  const std::uint64_t n = kernel.nodes[of.right].shape.size();
  if (lanes == 0) {
    PhaseSchedule schedule{PhaseLoop::OuterProducts};
    schedule.members = members_at_once(kernel, m + n, tiles.block_bytes);
    schedule.left_in_place = lie_in_order(kernel, of.left);
    schedule.right_in_place = lie_in_order(kernel, of.right);
    return schedule;
  }
  if (lanes == kCudaThreads && fits_tiles(m, n)) {
    const bool rounds = is_rounded(kernel.precision) && std::min(m, n) >= kLeastTensorSide;
    return {rounds ? PhaseLoop::TensorTiles : PhaseLoop::BlockTiles};
  }
  const WarpTiles warps = warp_tiles(m, n);
  return {PhaseLoop::WarpTiles, false, warps.down, warps.across};
}

}  // namespace vecc
