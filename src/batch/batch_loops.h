// Loops over the rows and members of launches.
#pragma once

#include <cstdint>
#include <utility>

#include "src/batch/batch_plan.h"
#include "src/batch/row_set.h"
#include "src/support/prefetch.h"

namespace vecc {

inline std::uint32_t to_row(std::uint64_t number) {
  return static_cast<std::uint32_t>(number);
}

/// The first unit of a row.
inline std::uint64_t begin_of(const BatchAccess& access, std::uint64_t row) {
  return access.first + row * access.size;
}

inline std::uint64_t member_count(const BatchLaunch& launch) {
  return launch.segments == KernelSegments::Ragged ? launch.offsets->back()
                                                   : std::uint64_t{launch.rows} * launch.members;
}

/// Whether each member reads or stores a row of its own choice. Of a BatchAccess or KernelAccess.
template <class Access>
bool is_by_member(const Access& access) {
  return access.space == KernelSpace::Member &&
         (access.map == RowMap::Direct || access.map == RowMap::List);
}

/// Calls visit(member) for a row's, as numbers of the loop's counter.
template <class Visit>
void for_each_member(const BatchLaunch& launch, std::uint32_t row, Visit&& visit) {
  switch (launch.segments) {
    case KernelSegments::None: return;
    case KernelSegments::Ragged:
      for (std::uint32_t m = (*launch.offsets)[row]; m < (*launch.offsets)[row + 1]; ++m) visit(m);
      return;
    case KernelSegments::Fixed:
      for (std::uint32_t k = 0; k < launch.members; ++k) visit(row * launch.members + k);
      return;
    case KernelSegments::Strided:
      for (std::uint32_t k = 0; k < launch.members; ++k) visit(row + k * launch.rows);
      return;
  }
}

/// Calls body(owner), where owner(member) is the row of a member: a loop in it has no switch.
template <class Body>
void with_owner(const BatchLaunch& launch, Body&& body) {
  switch (launch.segments) {
    case KernelSegments::Ragged:
      return body(
          [owners = launch.owners->data()](std::uint32_t member) { return owners[member]; });
    case KernelSegments::Fixed:
      return body([count = launch.members](std::uint32_t member) { return member / count; });
    case KernelSegments::Strided:
      return body([rows = launch.rows](std::uint32_t member) { return member % rows; });
    case KernelSegments::None: break;
  }
  fail_check("members of segments", __FILE__, __LINE__, "");
}

/// Adds the units of a row.
inline void insert_row(RowSet& set, const BatchAccess& access, std::uint64_t row) {
  if (access.size == 1) {
    set.insert(access.first + row);
  } else {
    set.insert(begin_of(access, row), access.size);
  }
}

/// Calls visit(row) for those rows first .. end - 1 of an access that have a unit in `set`, in
/// rising order.
template <class Visit>
void for_each_row_in(const RowSet& set, const BatchAccess& access, std::uint32_t first,
                     std::uint32_t end, Visit&& visit) {
  const std::uint64_t first_unit = begin_of(access, first);
  const std::uint64_t end_unit = begin_of(access, end);
  if (access.size == 1) {
    set.for_each(first_unit, end_unit,
                 [&](std::uint64_t unit) { visit(to_row(unit - access.first)); });
    return;
  }
  std::uint64_t next = 0;  // rows before it were visited
  set.for_each(first_unit, end_unit, [&](std::uint64_t unit) {
    const std::uint64_t row = (unit - access.first) / access.size;
    if (row < next) return;
    next = row + 1;
    visit(to_row(row));
  });
}

/// Of all rows.
template <class Visit>
void for_each_row_in(const RowSet& set, const BatchAccess& access, Visit&& visit) {
  for_each_row_in(set, access, 0, access.rows, visit);
}

/// How many steps of a loop before it is read something is fetched: arrays of a whole graph are
/// rarely in a cache.
inline constexpr std::size_t kAhead = 16;

/// Calls visit(counter) for the rows or members that read (store) row `row` by a list.
template <class Visit>
[[gnu::always_inline]] inline void for_each_reader(const BatchAccess& access, std::uint32_t row,
                                                   Visit&& visit) {
  if (access.is_identity) return visit(row);
  const InverseIndex& readers = *access.readers;
  const std::uint32_t place = row - access.first_read;  // of a row before it: more than any
  if (place >= access.end_read - access.first_read) return;
  if (access.is_read_once) return visit(readers.readers[place]);
  for (std::uint32_t i = readers.offsets[place]; i < readers.offsets[place + 1]; ++i) {
    visit(readers.readers[i]);
  }
}

/// Calls visit(member) for the members of a launch that store row `n` of an access.
template <class Visit>
void for_each_storing_member(const BatchLaunch& launch, const BatchAccess& access, std::uint32_t n,
                             Visit&& visit) {
  if (access.map == RowMap::List) return for_each_reader(access, n, visit);
  if (n < member_count(launch)) visit(n);
}

/// Calls visit(row) for the rows of a launch that store row `n` of an access.
template <class Visit>
void for_each_storing_row(const BatchLaunch& launch, const BatchAccess& access, std::uint32_t n,
                          Visit&& visit) {
  if (!is_by_member(access)) {
    if (access.map == RowMap::List) return for_each_reader(access, n, visit);
    if (n < (access.map == RowMap::Direct ? launch.rows : 1)) visit(n);
    return;
  }
  with_owner(launch, [&](auto owner) {
    for_each_storing_member(launch, access, n, [&](std::uint32_t member) { visit(owner(member)); });
  });
}

}  // namespace vecc
