#include "src/plan/analysis/updated_tables.h"

#include <algorithm>

#include "src/plan/analysis/launch_rows.h"

namespace vecc {
namespace {

bool may_be_updated(const PlanBuffer& buffer) {
  return buffer.kind == PlanBuffer::Kind::Parameter || buffer.kind == PlanBuffer::Kind::State;
}

// Calls visit(first, count) for the numbers of its buffer that an access reaches.
template <class Visit>
void each_range(const Plan& plan, const Launch& launch, std::size_t access, const Visit& visit) {
  const Kernel& kernel = plan.kernels[launch.kernel];
  const AccessBinding& binding = launch.accesses[access];
  const std::uint64_t size = kernel.accesses[access].shape.size();
  const std::uint64_t counted = counted_rows(plan, kernel, launch, kernel.accesses[access].space);
  if (counted == 0) return;
  const auto visit_rows = [&](const auto& rows, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) visit(binding.first + rows[i] * size, size);
  };
  switch (kernel.accesses[access].map) {
    case RowMap::One: visit(binding.first, size); return;
    case RowMap::Direct:
      visit(binding.first, std::min<std::uint64_t>(binding.rows, counted) * size);
      return;
    case RowMap::List:
      if (plan.is_filled(binding.list)) return visit(binding.first, binding.rows * size);
      visit_rows(*plan.arrays[binding.list], counted);
      return;
    case RowMap::Tile: visit_rows(launch.tile_types, launch.tile_types.size()); return;
  }
}

}  // namespace

bool UpdatedTables::loads_updated(const Launch& launch, std::size_t access) const {
  const BufferIndex buffer = launch.accesses[access].buffer;
  if (!may_be_updated(plan_.buffers[buffer])) return false;
  if (plan_.kernels[launch.kernel].accesses[access].store) return false;
  const auto found = updated_.find(table_of(plan_, buffer));
  if (found == updated_.end()) return false;
  const std::vector<bool>& is_updated = found->second;
  bool loads = false;
  each_range(plan_, launch, access, [&](std::uint64_t first, std::uint64_t count) {
    const std::uint64_t last = std::min<std::uint64_t>(first + count, is_updated.size());
    for (std::uint64_t i = first; i < last && !loads; ++i) loads = is_updated[i];
  });
  return loads;
}

void UpdatedTables::add(const Launch& launch) {
  const Kernel& kernel = plan_.kernels[launch.kernel];
  for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
    const BufferIndex number = launch.accesses[a].buffer;
    const PlanBuffer& buffer = plan_.buffers[number];
    if (!may_be_updated(buffer) || !kernel.accesses[a].store) continue;
    std::vector<bool>& is_updated = updated_[table_of(plan_, number)];
    if (is_updated.size() < buffer.elements) is_updated.resize(buffer.elements);
    each_range(plan_, launch, a, [&](std::uint64_t first, std::uint64_t count) {
      std::fill_n(is_updated.begin() + static_cast<std::ptrdiff_t>(first), count, true);
    });
  }
}

}  // namespace vecc
