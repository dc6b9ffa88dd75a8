#include "src/batch/batch_rows.h"

#include <algorithm>
#include <limits>

#include "src/batch/batch_loops.h"
#include "src/batch/stored_rows.h"

namespace vecc {
namespace {

template <class T>
std::uint64_t bytes_of(const std::vector<T>& items) {
  return items.size() * sizeof(T);
}

template <class Entry>
std::uint32_t append_listed(std::span<const std::uint32_t> list,
                            std::span<const std::uint32_t> counters, std::vector<Entry>& to) {
  const std::size_t place = to.size();
  to.resize(place + counters.size());
  for (std::size_t i = 0; i < counters.size(); ++i) {
    if (i + kAhead < counters.size()) prefetch_memory(list.data() + counters[i + kAhead]);
    to[place + i] = static_cast<Entry>(list[counters[i]]);
  }
  return static_cast<std::uint32_t>(place);
}

// Of a list that a compact batch makes of an access.
std::uint64_t most_entries(const BatchLaunch& launch, const BatchAccess& access) {
  if (access.map != RowMap::Direct && access.map != RowMap::List) return 0;
  return access.space == KernelSpace::Member ? member_count(launch) : launch.rows;
}

// What a compact batch, which has a part of all, gets room for at once: more comes as it is used.
constexpr std::uint64_t kMostReserved = std::uint64_t{1} << 20;

// Room for all but the entries of lists and orders, for at most so many of a kind.
void reserve_runs(const BatchPlan& plan, std::uint64_t most, BatchRows& to) {
  std::uint64_t rows = 0;
  std::uint64_t stored = 0;
  std::uint64_t accesses = 0;
  for (const BatchLaunch& launch : plan.launches) {
    rows += launch.rows;
    accesses += launch.accesses.size();
    for (const BatchAccess& access : launch.accesses) {
      if (access.store) stored += access.rows;
    }
  }
  to.runs.reserve(plan.launches.size());
  to.tiles.reserve(std::min(rows, most));
  to.lists.reserve(accesses);
  to.zeros.reserve(std::min(stored, most));
  to.unstored.reserve(accesses);
}

}  // namespace

void BatchRows::clear() {
  runs.clear();
  tiles.clear();
  lists.clear();
  wide.clear();
  narrow.clear();
  zeros.clear();
  unstored.clear();
  places.clear();
  value_count = 0;
}

void BatchRows::reserve(const BatchPlan& plan) {
  reserve_runs(plan, std::numeric_limits<std::uint64_t>::max(), *this);
  std::uint64_t wide_entries = 0;
  std::uint64_t narrow_entries = 0;
  for (const BatchLaunch& launch : plan.launches) {
    std::uint64_t& entries = launch.is_narrow ? narrow_entries : wide_entries;
    if (launch.drops) wide_entries += launch.rows + std::uint64_t{1};
    entries += launch.rows * std::uint64_t{2};
    for (const BatchAccess& access : launch.accesses) {
      if (launch.drops && access.list) entries += access.list->size();
    }
  }
  wide.reserve(wide_entries);
  narrow.reserve(narrow_entries);
}

void BatchRows::reserve_compact(const BatchPlan& plan) {
  reserve_runs(plan, kMostReserved, *this);
  std::uint64_t wide_entries = 0;
  std::uint64_t narrow_entries = 0;
  std::uint64_t accesses = 0;
  for (const BatchLaunch& launch : plan.launches) {
    std::uint64_t& entries = launch.is_narrow ? narrow_entries : wide_entries;
    if (launch.offsets) wide_entries += launch.rows + std::uint64_t{1};
    if (launch.types) entries += launch.rows;
    for (const BatchAccess& access : launch.accesses) entries += most_entries(launch, access);
    accesses += launch.accesses.size();
  }
  wide.reserve(std::min(wide_entries, kMostReserved));
  narrow.reserve(std::min(narrow_entries, kMostReserved));
  places.reserve(accesses);
}

std::uint32_t BatchRows::add(std::span<const std::uint32_t> entries, bool is_narrow) {
  if (!is_narrow) {
    const auto place = static_cast<std::uint32_t>(wide.size());
    wide.insert(wide.end(), entries.begin(), entries.end());
    return place;
  }
  const auto place = static_cast<std::uint32_t>(narrow.size());
  narrow.resize(place + entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    narrow[place + i] = static_cast<std::uint16_t>(entries[i]);
  }
  return place;
}

std::uint32_t BatchRows::add(std::span<const std::uint32_t> list,
                             std::span<const std::uint32_t> counters, bool is_narrow) {
  return is_narrow ? append_listed(list, counters, narrow) : append_listed(list, counters, wide);
}

std::uint64_t BatchRows::bytes() const {
  return bytes_of(runs) + bytes_of(tiles) + bytes_of(lists) + bytes_of(wide) + bytes_of(narrow) +
         bytes_of(zeros) + bytes_of(unstored) + bytes_of(places);
}

std::uint64_t bytes_of(std::span<const Batch::Weights> weights) {
  std::uint64_t bytes = 0;
  for (const Batch::Weights& of : weights) bytes += bytes_of(of.rows) + bytes_of(of.values);
  return bytes;
}

BatchBytes bytes_of_step(const BatchPlan& plan, const BatchRows& rows, std::uint64_t number_bytes) {
  BatchBytes bytes;
  bytes.arrays = rows.bytes();
  if (plan.is_compact) {
    bytes.values = rows.value_count * number_bytes;
    bytes.is_compact = true;
    return bytes;
  }
  for_each_value(plan, rows, [&](BufferIndex, std::uint64_t, std::uint64_t count) {
    bytes.values += count * number_bytes;
  });
  return bytes;
}

}  // namespace vecc
