// The rows that a run of a launch stores.
#pragma once

#include <cstdint>

#include "src/batch/batch_loops.h"
#include "src/batch/batch_rows.h"

namespace vecc {

/// Calls visit(i) for the rows of a launch that numbers none anew.
template <class Visit>
void for_each_row_of(const BatchLaunch& launch, const BatchRows& rows, const BatchRows::Run& run,
                     Visit&& visit) {
  if (run.is_whole) {
    for (std::uint32_t r = 0; r < launch.rows; ++r) visit(r);
    return;
  }
  for (std::uint32_t t = run.first_tile; t < run.first_tile + run.tiles; ++t) {
    for (std::uint32_t i = rows.tiles[t].begin; i < rows.tiles[t].end; ++i) {
      visit(run.order == kNone ? i : rows.entry(run.order + i, launch.is_narrow));
    }
  }
}

/// Calls visit(row) for the rows of access number `a`, a store, that a run stores; `row` as the
/// access numbers them.
template <class Visit>
void for_each_stored(const BatchLaunch& launch, const BatchRows& rows, const BatchRows::Run& run,
                     std::uint32_t a, Visit&& visit) {
  const BatchAccess& access = launch.accesses[a];
  const bool is_list = access.map == RowMap::List;
  if (!is_list && access.map != RowMap::Direct) return visit(0);
  const bool is_member = access.space == KernelSpace::Member;
  if (launch.drops) {
    const std::uint32_t place = rows.lists[run.lists + a];
    if (place == kNone) return visit(0);  // Direct of one row
    const std::uint32_t count = is_member ? rows.wide[run.offsets + run.rows] : run.rows;
    for (std::uint32_t i = 0; i < count; ++i) visit(rows.entry(place + i, launch.is_narrow));
    return;
  }
  const auto visit_counter = [&](std::uint32_t counter) {
    visit(is_list && !access.is_identity ? (*access.list)[counter] : counter);
  };
  for_each_row_of(launch, rows, run, [&](std::uint32_t row) {
    is_member ? for_each_member(launch, row, visit_counter) : visit_counter(row);
  });
}

/// Calls visit(buffer, first number, count) for all that a batch stores into buffers of the arena.
template <class Visit>
void for_each_value(const BatchPlan& plan, const BatchRows& rows, Visit&& visit) {
  for (const BatchRows::Run& run : rows.runs) {
    const BatchLaunch& launch = plan.launches[run.launch];
    for (std::uint32_t a = 0; a < launch.accesses.size(); ++a) {
      const BatchAccess& access = launch.accesses[a];
      if (!access.store || !plan.made_buffers[access.buffer]) continue;
      const std::uint64_t unit = plan.units[access.buffer];
      for_each_stored(launch, rows, run, a, [&](std::uint32_t row) {
        visit(access.buffer, begin_of(access, row) * unit, access.size * unit);
      });
    }
  }
  for (const BatchRows::Zeros& zeros : rows.zeros) visit(zeros.buffer, zeros.first, zeros.count);
}

}  // namespace vecc
