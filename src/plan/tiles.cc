// Tiles: how a launch's rows are shared out.
#include <algorithm>
#include <numeric>

#include "src/plan/assemble.h"
#include "src/program/inverse_index.h"

namespace vecc {
namespace {

// Multiply-adds or moved numbers that are worth a tile: some microseconds.
constexpr std::uint64_t kTileWork = 1 << 15;
// Rows of a tile, so that a loop over them runs on whole registers.
constexpr std::uint32_t kRowStep = 64;
// Rows of one type that share its matrix.
constexpr std::uint32_t kTypedRows = 256;
// Rows of up to so many numbers, so many members each, gain by an order if that many of them differ
// in length from the row before (a processor learns fewer by heart).
constexpr std::uint64_t kLongestRow = 15;
constexpr std::uint32_t kMeanMembers = 16;
constexpr std::uint32_t kFewestChanges = 256;

std::uint64_t work_of(const Kernel& kernel, const KernelNode& node) {
  std::uint64_t work = node.shape.size();
  if (node.kind == KernelNode::Kind::Times) {
    const Shape left = kernel.nodes[node.operands[0]].shape;
    const Shape right = kernel.nodes[node.operands[1]].shape;
    if (!left.is_scalar() && !right.is_scalar()) {
      work *= node.transpose_left ? left.rows() : left.cols();
    }
  }
  return work;
}

struct Work {
  std::uint64_t row = 0;
  std::uint64_t member = 0;
};

Work work_of(const Kernel& kernel) {
  Work work;
  for (const KernelPhase& phase : kernel.phases) {
    std::uint64_t& sum = phase.space == KernelSpace::Row ? work.row : work.member;
    for (const KernelStep& step : phase.steps) {
      sum += step.store ? 0 : work_of(kernel, kernel.nodes[step.number]);
    }
  }
  work.row = std::max<std::uint64_t>(work.row, 1);
  return work;
}

// Members of rows first .. last - 1.
std::uint64_t member_count(const Kernel& kernel, const Plan& plan, const Launch& launch,
                           std::uint32_t first, std::uint32_t last) {
  switch (kernel.segments) {
    case KernelSegments::None: return 0;
    case KernelSegments::Fixed:
    case KernelSegments::Strided: return std::uint64_t{launch.members} * (last - first);
    case KernelSegments::Ragged: break;
  }
  const auto& offsets = *plan.arrays[launch.offsets];
  return offsets[last] - offsets[first];
}

void cut_by_work(const Kernel& kernel, const Plan& plan, Launch& launch) {
  const Work work = work_of(kernel);
  const std::uint32_t step = kernel.segments == KernelSegments::None ? kRowStep : 1;
  launch.tiles = {0};
  std::uint64_t open = 0;
  for (std::uint32_t row = 0; row < launch.rows; row += step) {
    const std::uint32_t next = std::min(launch.rows, row + step);
    const std::uint64_t here =
        work.row * (next - row) + work.member * member_count(kernel, plan, launch, row, next);
    launch.work += here;
    open += here;
    if (open < kTileWork && next < launch.rows) continue;
    launch.tiles.push_back(next);
    open = 0;
  }
}

void cut_by_type(const Kernel& kernel, ArrayIndex types, Launch& launch,
                 std::vector<std::shared_ptr<const std::vector<std::uint32_t>>>& arrays) {
  const auto& type_of = *arrays[types];
  const std::uint32_t count = *std::ranges::max_element(type_of) + 1;
  InverseIndex rows = inverse_index(std::span<const std::uint32_t>(type_of), count);
  launch.work = work_of(kernel).row * launch.rows;
  launch.tiles = {0};
  for (std::uint32_t type = 0; type < count; ++type) {
    for (std::uint32_t at = rows.offsets[type]; at < rows.offsets[type + 1]; at += kTypedRows) {
      launch.tiles.push_back(std::min(at + kTypedRows, rows.offsets[type + 1]));
      launch.tile_types.push_back(type);
    }
  }
  launch.order = static_cast<ArrayIndex>(arrays.size());
  arrays.push_back(std::make_shared<const std::vector<std::uint32_t>>(std::move(rows.readers)));
}

// Short rows of segments: whether launches may have an order is the kernel's, so that graphs of all
// sizes run the same one.
bool may_be_ordered(const Kernel& kernel) {
  return kernel.segments == KernelSegments::Ragged &&
         std::ranges::all_of(
             kernel.nodes, [](const KernelNode& node) { return node.shape.size() <= kLongestRow; });
}

// Whether the lengths of short segments change from row to row so often that a processor, which
// guesses where each loop ends, loses more by that than by reading an order.
bool gains_by_order(const Plan& plan, const Launch& launch) {
  const auto& offsets = *plan.arrays[launch.offsets];
  if (offsets.back() > kMeanMembers * std::uint64_t{launch.rows}) return false;
  std::uint32_t changes = 0;
  for (std::uint32_t row = 0; row + 1 < launch.rows; ++row) {
    changes += offsets[row + 1] - offsets[row] != offsets[row + 2] - offsets[row + 1];
  }
  return changes >= kFewestChanges && changes >= launch.rows / 4;
}

// Within a tile, so that rows stay near one another.
void order_by_members(const Plan& plan, Launch& launch,
                      std::vector<std::shared_ptr<const std::vector<std::uint32_t>>>& arrays) {
  const auto& offsets = *plan.arrays[launch.offsets];
  std::vector<std::uint32_t> order(launch.rows);
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t t = 0; t + 1 < launch.tiles.size(); ++t) {
    std::stable_sort(order.begin() + launch.tiles[t], order.begin() + launch.tiles[t + 1],
                     [&](std::uint32_t a, std::uint32_t b) {
                       return offsets[a + 1] - offsets[a] < offsets[b + 1] - offsets[b];
                     });
  }
  launch.order = static_cast<ArrayIndex>(arrays.size());
  arrays.push_back(std::make_shared<const std::vector<std::uint32_t>>(std::move(order)));
}

}  // namespace

void cut_tiles(Kernel& kernel, const Plan& plan, ArrayIndex types, Launch& launch,
               std::vector<std::shared_ptr<const std::vector<std::uint32_t>>>& arrays) {
  if (types != kNone) {
    cut_by_type(kernel, types, launch, arrays);
  } else {
    cut_by_work(kernel, plan, launch);
    kernel.ordered = may_be_ordered(kernel);
    if (kernel.ordered && gains_by_order(plan, launch)) order_by_members(plan, launch, arrays);
  }
}

}  // namespace vecc
