// What each row of a launch loads and stores, number by number.
#pragma once

#include <cstdint>
#include <vector>

#include "vecc/plan.h"

namespace vecc {

/// The numbers that launches may store: the arena's, then those of parameters and states, each
/// parameter and state once.
class PlanMemory {
 public:
  explicit PlanMemory(const Plan& plan);

  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Where a buffer begins; of a constant, kNowhere.
  [[nodiscard]] std::uint64_t begin_of(BufferIndex buffer) const { return begins_[buffer]; }

  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

 private:
  std::vector<std::uint64_t> begins_;  // by buffer
  std::uint64_t size_ = 0;
};

/// A row of a launch: its place in the launch's order, its number, its tile's type.
struct LaunchRow {
  std::uint32_t position = 0;
  std::uint32_t row = 0;
  std::uint32_t type = 0;
};

/// Calls visit(row) for all rows of a launch, in its order.
template <class Visit>
void for_each_row(const Plan& plan, const Launch& launch, Visit&& visit) {
  const std::vector<std::uint32_t>* order =
      launch.order == kNone ? nullptr : plan.arrays[launch.order].get();
  for (std::size_t t = 0; t + 1 < launch.tiles.size(); ++t) {
    const std::uint32_t type = launch.tile_types.empty() ? 0 : launch.tile_types[t];
    for (std::uint32_t q = launch.tiles[t]; q < launch.tiles[t + 1]; ++q) {
      visit(LaunchRow{q, order == nullptr ? q : (*order)[q], type});
    }
  }
}

/// Calls visit(member) for the members of a row, as numbers of the loop's counter.
template <class Visit>
void for_each_row_member(const Plan& plan, const Launch& launch, std::uint32_t row, Visit&& visit) {
  const Kernel& kernel = plan.kernels[launch.kernel];
  const std::uint32_t members = kernel.members > 0 ? kernel.members : launch.members;
  switch (kernel.segments) {
    case KernelSegments::None: return;
    case KernelSegments::Ragged: {
      const std::vector<std::uint32_t>& offsets = *plan.arrays[launch.offsets];
      for (std::uint32_t m = offsets[row]; m < offsets[row + 1]; ++m) visit(m);
      return;
    }
    case KernelSegments::Fixed:
      for (std::uint32_t k = 0; k < members; ++k) visit(row * members + k);
      return;
    case KernelSegments::Strided:
      for (std::uint32_t k = 0; k < members; ++k) visit(row + k * launch.rows);
      return;
  }
}

/// Calls visit(counter, number) for what a row reaches through access `a` of its kernel: the loop's
/// counter, the operand's row that it means; once where all members mean the same one.
template <class Visit>
void for_each_reached(const Plan& plan, const Launch& launch, std::size_t a, const LaunchRow& row,
                      Visit&& visit) {
  const KernelAccess& access = plan.kernels[launch.kernel].accesses[a];
  const auto reach = [&](std::uint32_t counter) {
    switch (access.map) {
      case RowMap::Direct: return visit(counter, counter);
      case RowMap::List: return visit(counter, (*plan.arrays[launch.accesses[a].list])[counter]);
      case RowMap::One: return visit(counter, 0u);
      case RowMap::Tile: return visit(counter, row.type);
    }
  };
  const bool by_member = access.space == KernelSpace::Member &&
                         (access.map == RowMap::Direct || access.map == RowMap::List);
  if (by_member) {
    for_each_row_member(plan, launch, row.row, reach);
  } else {
    reach(row.row);
  }
}

/// Calls visit(is_store, first, count) for all numbers of the memory that a row reaches.
template <class Visit>
void for_each_access(const Plan& plan, const PlanMemory& memory, const Launch& launch,
                     const LaunchRow& row, Visit&& visit) {
  const Kernel& kernel = plan.kernels[launch.kernel];
  for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
    const KernelAccess& access = kernel.accesses[a];
    const AccessBinding& binding = launch.accesses[a];
    const std::uint64_t begin = memory.begin_of(binding.buffer);
    if (begin == PlanMemory::kNowhere) continue;
    const std::uint64_t size = access.shape.size();
    for_each_reached(plan, launch, a, row, [&](std::uint32_t, std::uint32_t number) {
      visit(access.store, begin + binding.first + number * size, size);
    });
  }
}

}  // namespace vecc
