#include "src/batch/run_writer.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace vecc {
namespace {

// Multiply-adds or moved numbers that are worth a tile (src/plan/tiles.cc).
constexpr std::uint64_t kTileWork = 1 << 15;
// Rows of one type that share its matrix.
constexpr std::uint32_t kTypedRows = 256;

std::uint32_t tile_rows(const BatchRows::Run& run) {
  const std::uint64_t rows = kTileWork * run.rows / std::max<std::uint64_t>(run.work, 1);
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(rows, 1, 1 << 30));
}

}  // namespace

RunWriter::RunWriter(const BatchPlan& plan) : plan_(plan) {
  std::uint32_t most_typed = 0;
  std::size_t most_accesses = 0;
  for (const BatchLaunch& launch : plan.launches) {
    if (launch.drops && launch.types) most_typed = std::max(most_typed, launch.rows);
    most_accesses = std::max(most_accesses, launch.accesses.size());
  }
  numbers_.resize(most_typed);
  std::iota(numbers_.begin(), numbers_.end(), 0u);
  added_.reserve(most_accesses);
}

void RunWriter::add(std::uint32_t number, LaunchRows& of, BatchRows& to) {
  const BatchLaunch& launch = plan_.launches[number];
  BatchRows::Run run;
  run.launch = number;
  run.rows = static_cast<std::uint32_t>(of.rows.size());
  run.work = launch.work * run.rows / std::max(1u, launch.rows);
  if (launch.drops) {
    // Most of it is that of members.
    run.work = launch.work * of.members.size() / std::max(1u, launch.offsets->back());
    add_lists(launch, of, run, to);
  } else {
    run.is_whole = run.rows == launch.rows;
    if (!run.is_whole && launch.types) sort_by_type(launch, of.rows);
    if (!run.is_whole && launch.takes_order) run.order = to.add(of.rows, launch.is_narrow);
  }
  if (!run.is_whole) add_tiles(launch, of.rows, run, to);
  to.runs.push_back(run);
}

// Of a launch that numbers its rows and members anew.
void RunWriter::add_lists(const BatchLaunch& launch, const LaunchRows& of, BatchRows::Run& run,
                          BatchRows& to) {
  run.offsets = to.add(of.offsets, false);
  run.lists = static_cast<std::uint32_t>(to.lists.size());
  added_.clear();
  for (const BatchAccess& access : launch.accesses) {
    to.lists.push_back(add_list(launch, access, of, to));
  }
  if (!launch.types) return;
  run.order = to.add(std::span(numbers_.data(), run.rows), launch.is_narrow);
}

// One list for all accesses that go by it.
std::uint32_t RunWriter::add_list(const BatchLaunch& launch, const BatchAccess& access,
                                  const LaunchRows& of, BatchRows& to) {
  const std::vector<std::uint32_t>& counters =
      access.space == KernelSpace::Member ? of.members : of.rows;
  const bool is_listed = access.map == RowMap::List;
  const bool is_counter = is_listed ? access.is_identity : access.map == RowMap::Direct;
  if (!is_listed && (!is_counter || launch.rows == 1)) return kNone;
  const void* const list = is_counter ? static_cast<const void*>(&counters) : access.list.get();
  for (const Added& added : added_) {
    if (added.list == list && added.space == access.space) return added.place;
  }
  const std::uint32_t place = is_counter ? to.add(counters, launch.is_narrow)
                                         : to.add(*access.list, counters, launch.is_narrow);
  added_.push_back({list, access.space, place});
  return place;
}

void RunWriter::add_tiles(const BatchLaunch& launch, const std::vector<std::uint32_t>& rows,
                          BatchRows::Run& run, BatchRows& to) const {
  const bool by_place = launch.drops || launch.takes_order;  // else runs of rows
  std::uint32_t most = tile_rows(run);
  if (launch.types) most = std::min(most, kTypedRows);
  run.first_tile = static_cast<std::uint32_t>(to.tiles.size());
  const auto type_of = [&](std::uint32_t row) { return launch.types ? (*launch.types)[row] : 0; };
  for (std::uint32_t begin = 0; begin < run.rows;) {
    const std::uint32_t row = rows[begin];
    std::uint32_t end = begin + 1;
    if (by_place && !launch.types) {
      end = begin + std::min(most, run.rows - begin);
    } else {
      const auto goes_on = [&](std::uint32_t at) {
        if (by_place) return type_of(rows[at]) == type_of(row);
        return rows[at] == rows[at - 1] + 1;
      };
      while (end < run.rows && end - begin < most && goes_on(end)) ++end;
    }
    const std::uint32_t first = by_place ? begin : row;
    to.tiles.push_back({first, first + (end - begin), type_of(row)});
    begin = end;
  }
  run.tiles = static_cast<std::uint32_t>(to.tiles.size()) - run.first_tile;
}

}  // namespace vecc
