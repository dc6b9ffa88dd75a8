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

bool UpdatedTables::is_updated(BufferIndex buffer, std::uint64_t first, std::uint64_t count) const {
  const auto found = updated_.find(table_of(plan_, buffer));
  if (found == updated_.end()) return false;
  const std::vector<bool>& updated = found->second;
  const std::uint64_t last = std::min<std::uint64_t>(first + count, updated.size());
  for (std::uint64_t i = first; i < last; ++i) {
    if (updated[i]) return true;
  }
  return false;
}

bool UpdatedTables::loads_updated(const Launch& launch, std::size_t access) const {
  const BufferIndex buffer = launch.accesses[access].buffer;
  if (plan_.kernels[launch.kernel].accesses[access].store ||
      !may_be_updated(plan_.buffers[buffer]) || !updated_.contains(table_of(plan_, buffer))) {
    return false;
  }
  bool loads = false;
  each_range(plan_, launch, access, [&](std::uint64_t first, std::uint64_t count) {
    loads = loads || is_updated(buffer, first, count);
  });
  return loads;
}

bool UpdatedTables::reads_updated(const AccessBinding& rows, std::uint64_t row_elements) const {
  return may_be_updated(plan_.buffers[rows.buffer]) &&
         is_updated(rows.buffer, rows.first, rows.rows * row_elements);
}

void UpdatedTables::add(BufferIndex buffer, std::uint64_t first, std::uint64_t count) {
  std::vector<bool>& updated = updated_[table_of(plan_, buffer)];
  if (updated.size() < plan_.buffers[buffer].elements) {
    updated.resize(plan_.buffers[buffer].elements);
  }
  std::fill_n(updated.begin() + static_cast<std::ptrdiff_t>(first), count, true);
}

void UpdatedTables::add(const AccessBinding& rows, std::uint64_t row_elements) {
  add(rows.buffer, rows.first, rows.rows * row_elements);
}

void UpdatedTables::add(const Launch& launch) {
  const Kernel& kernel = plan_.kernels[launch.kernel];
  for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
    const BufferIndex buffer = launch.accesses[a].buffer;
    if (!may_be_updated(plan_.buffers[buffer]) || !kernel.accesses[a].store) continue;
    each_range(plan_, launch, a,
               [&](std::uint64_t first, std::uint64_t count) { add(buffer, first, count); });
  }
}

}  // namespace vecc
