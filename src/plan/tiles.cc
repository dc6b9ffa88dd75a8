// Tiles: how a launch's rows are shared out.
#include <algorithm>
#include <optional>

#include "src/kernel/schedule/schedule_kernel.h"
#include "src/plan/make_launches.h"
#include "src/plan/row_order.h"
#include "src/program/inverse_index.h"

namespace vecc {
namespace {

// Rows of a tile, so that a loop over them runs on whole registers.
constexpr std::uint32_t kRowStep = 64;
// Rows that a matrix is transposed for: fewer where there would be few tiles.
constexpr std::uint32_t kFewestPacked = 64;
constexpr std::uint32_t kMostPacked = 256;
constexpr std::uint32_t kPackedTiles = 64;

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

// Members of rows 0 .. end - 1.
std::uint64_t members_before(const Kernel& kernel, const Plan& plan, const Launch& launch,
                             std::uint32_t end) {
  switch (kernel.segments) {
    case KernelSegments::None: return 0;
    case KernelSegments::Fixed:
    case KernelSegments::Strided: return std::uint64_t{launch.members} * end;
    case KernelSegments::Ragged: break;
  }
  return (*plan.arrays[launch.offsets])[end];
}

// What is worth a tile: more, where each begins with a matrix that it transposes.
std::uint64_t tile_work(const Kernel& kernel, const Work& work, std::uint32_t rows,
                        const Target& target) {
  const TileFloor floor = tile_floor(kernel, target);
  if (floor != TileFloor::Packed) return kTileWork;
  return std::max(kTileWork, least_rows(floor, rows) * work.row);
}

void cut_by_work(const Kernel& kernel, const Plan& plan, const Target& target, Launch& launch) {
  const Work work = work_of(kernel);
  const std::uint64_t worth = tile_work(kernel, work, launch.rows, target);
  const std::uint32_t step = kernel.segments == KernelSegments::None ? kRowStep : 1;
  const auto work_before = [&](std::uint32_t end) {
    return work.row * end + work.member * members_before(kernel, plan, launch, end);
  };
  launch.tiles = {0};
  if (launch.rows == 0) return;
  launch.work += work_before(launch.rows);
  // A tile ends after the first step with which it is worth one: steps are doubled, then halved.
  const std::uint32_t steps = (launch.rows - 1) / step + 1;
  const auto row_after = [&](std::uint32_t s) { return s < steps ? s * step : launch.rows; };
  for (std::uint32_t begin = 0; begin < steps;) {
    const std::uint64_t enough = work_before(row_after(begin)) + worth;
    std::uint32_t less = begin;  // so far it is worth less
    std::uint32_t end = std::min(begin + 1, steps);
    while (end < steps && work_before(row_after(end)) < enough) {
      less = end;
      end += std::min(2 * (end - begin), steps - end);
    }
    while (less + 1 < end) {
      const std::uint32_t middle = less + (end - less) / 2;
      (work_before(row_after(middle)) < enough ? less : end) = middle;
    }
    launch.tiles.push_back(row_after(end));
    begin = end;
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

}  // namespace

TileFloor tile_floor(const Kernel& kernel, const Target& target) {
  if (target.has_shared_memory()) return TileFloor::None;
  const std::optional<ProductSchedule> product = schedule_for_cpp(kernel, target).product;
  if (!product) return TileFloor::None;
  return product->packs_matrix ? TileFloor::Packed : TileFloor::Product;
}

std::uint64_t row_work(const Kernel& kernel) {
  return work_of(kernel).row;
}

std::uint32_t least_rows(TileFloor floor, std::uint32_t rows) {
  switch (floor) {
    case TileFloor::None: break;
    case TileFloor::Product: return kRowStep;
    case TileFloor::Packed: return std::clamp(rows / kPackedTiles, kFewestPacked, kMostPacked);
  }
  return 1;
}

void cut_tiles(Kernel& kernel, const Plan& plan, ArrayIndex types, const PlanOptions& options,
               Launch& launch,
               std::vector<std::shared_ptr<const std::vector<std::uint32_t>>>& arrays) {
  if (types != kNone) {
    cut_by_type(kernel, types, launch, arrays);
    return;
  }
  cut_by_work(kernel, plan, options.target, launch);
  // Where threads share rows, long ones come first: more threads share those.
  const bool shares_rows = options.target.has_shared_memory();
  const bool by_length = shares_rows && kernel.segments == KernelSegments::Ragged;
  kernel.ordered = by_length || (!shares_rows && may_be_ordered(kernel));
  if (!kernel.ordered) return;
  std::vector<std::uint32_t> order =
      by_length ? order_long_first(plan, launch) : order_within_tiles(plan, launch);
  if (order.empty()) return;
  launch.order = static_cast<ArrayIndex>(arrays.size());
  arrays.push_back(std::make_shared<const std::vector<std::uint32_t>>(std::move(order)));
}

}  // namespace vecc
