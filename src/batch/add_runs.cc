// The rows that a launch computes, as its kernel takes them.
#include <algorithm>
#include <numeric>

#include "src/batch/batch_binder.h"
#include "src/batch/batch_loops.h"

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

// The rows of row_set_, which is empty then.
void BatchBinder::take_rows(const BatchLaunch& launch) {
  rows_.clear();
  row_set_.for_each(0, launch.rows, [&](std::uint64_t row) { rows_.push_back(to_row(row)); });
  row_set_.clear();
}

// The members of member_set_ and the rows that have some.
void BatchBinder::take_members(const BatchLaunch& launch) {
  const std::uint32_t* const owners = launch.owners->data();
  rows_.clear();
  offsets_.clear();
  kept_.clear();
  member_set_.for_each(0, launch.owners->size(), [&](std::uint64_t member) {
    if (rows_.empty() || rows_.back() != owners[member]) {
      rows_.push_back(owners[member]);
      offsets_.push_back(to_row(kept_.size()));
    }
    kept_.push_back(to_row(member));
  });
  offsets_.push_back(to_row(kept_.size()));
}

// The rows at hand run: what they load is needed.
void BatchBinder::add_rows(std::uint32_t number, BatchRows& result) {
  const BatchLaunch& launch = plan_.launches[number];
  for (const BatchAccess& access : launch.accesses) {
    if (access.is_made && (!access.is_zero || reads_zeros_[number])) need_load(launch, access);
  }
  add_run(number, result);
}

// Of a launch that drops: by its rows, those members that are not 0.
void BatchBinder::keep_members(const BatchLaunch& launch, const RowSet& members) {
  kept_.clear();
  offsets_.assign(1, 0);
  if (launch.types) {
    sort_by_type(launch);
    for (const std::uint32_t row : rows_) {
      members.for_each((*launch.offsets)[row], (*launch.offsets)[row + 1],
                       [&](std::uint64_t member) { kept_.push_back(to_row(member)); });
      offsets_.push_back(to_row(kept_.size()));
    }
    return;
  }
  const std::vector<std::uint32_t>& owners = *launch.owners;
  auto row = rows_.begin();  // whose members come next
  members.for_each(0, owners.size(), [&](std::uint64_t member) {
    for (; row != rows_.end() && *row < owners[member]; ++row) {
      offsets_.push_back(to_row(kept_.size()));
    }
    if (row != rows_.end() && *row == owners[member]) kept_.push_back(to_row(member));
  });
  offsets_.resize(rows_.size() + 1, to_row(kept_.size()));
}

void BatchBinder::need_load(const BatchLaunch& launch, const BatchAccess& access) {
  RowSet& needed = needed_[access.buffer];
  const RowSet& live = live_[access.buffer];
  const auto need_row = [&](std::uint32_t row) {
    if (access.is_zero && live.contains(begin_of(access, row))) return;
    insert_row(needed, access, row);
  };
  switch (access.map) {
    case RowMap::One: return need_row(0);
    case RowMap::Tile:
      for (const std::uint32_t row : rows_) need_row((*launch.types)[row]);
      return;
    case RowMap::Direct:
    case RowMap::List: break;
  }
  const bool by_list = access.map == RowMap::List && !access.is_identity;
  const std::uint32_t* const list = by_list ? access.list->data() : nullptr;
  const auto need = [&](std::uint32_t counter) { need_row(by_list ? list[counter] : counter); };
  if (access.space == KernelSpace::Row || launch.drops) {
    const std::vector<std::uint32_t>& counters = access.space == KernelSpace::Row ? rows_ : kept_;
    for (std::size_t i = 0; i < counters.size(); ++i) {
      if (by_list && i + kAhead < counters.size()) fetch(list + counters[i + kAhead]);
      need(counters[i]);
    }
    return;
  }
  const bool is_ragged = launch.segments == KernelSegments::Ragged;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (is_ragged && i + kAhead < rows_.size()) {
      const std::uint32_t& begin = (*launch.offsets)[rows_[i + kAhead]];
      fetch(&begin);
      if (by_list) fetch(list + (*launch.offsets)[rows_[i + kAhead / 2]]);
    }
    for_each_member(launch, rows_[i], need);
  }
}

void BatchBinder::sort_by_type(const BatchLaunch& launch) {
  const std::vector<std::uint32_t>& types = *launch.types;
  std::ranges::sort(rows_, [&](std::uint32_t a, std::uint32_t b) {
    return types[a] != types[b] ? types[a] < types[b] : a < b;
  });
}

void BatchBinder::add_run(std::uint32_t number, BatchRows& result) {
  const BatchLaunch& launch = plan_.launches[number];
  BatchRows::Run run;
  run.launch = number;
  run.rows = static_cast<std::uint32_t>(rows_.size());
  run.work = launch.work * run.rows / std::max(1u, launch.rows);
  if (launch.drops) {
    // Most of it is that of members.
    run.work = launch.work * kept_.size() / std::max(1u, launch.offsets->back());
    add_lists(launch, run, result);
  } else {
    run.is_whole = run.rows == launch.rows;
    if (!run.is_whole && launch.types) sort_by_type(launch);
    if (!run.is_whole && launch.takes_order) run.order = result.add(rows_, launch.is_narrow);
  }
  if (!run.is_whole) add_tiles(launch, run, result);
  result.runs.push_back(run);
}

// Of a launch that numbers its rows and members anew.
void BatchBinder::add_lists(const BatchLaunch& launch, BatchRows::Run& run, BatchRows& result) {
  run.offsets = result.add(offsets_, false);
  run.lists = static_cast<std::uint32_t>(result.lists.size());
  std::uint32_t rows = kNone;     // the list of its rows
  std::uint32_t members = kNone;  // that of its members
  for (const BatchAccess& access : launch.accesses) {
    const bool is_member = access.space == KernelSpace::Member;
    std::uint32_t place = kNone;
    if (access.is_identity) {
      if (members == kNone) members = result.add(kept_, launch.is_narrow);
      place = members;
    } else if (access.map == RowMap::List) {
      const std::vector<std::uint32_t>& counters = is_member ? kept_ : rows_;
      const std::uint32_t* const list = access.list->data();
      entries_.resize(counters.size());
      for (std::size_t i = 0; i < counters.size(); ++i) entries_[i] = list[counters[i]];
      place = result.add(entries_, launch.is_narrow);
    } else if (access.map == RowMap::Direct && launch.rows > 1) {
      if (rows == kNone) rows = result.add(rows_, launch.is_narrow);
      place = rows;
    }
    result.lists.push_back(place);
  }
  if (!launch.types) return;
  entries_.resize(run.rows);
  std::iota(entries_.begin(), entries_.end(), 0u);
  run.order = result.add(entries_, launch.is_narrow);
}

void BatchBinder::add_tiles(const BatchLaunch& launch, BatchRows::Run& run,
                            BatchRows& result) const {
  const bool by_place = launch.drops || launch.takes_order;  // else runs of rows
  std::uint32_t most = tile_rows(run);
  if (launch.types) most = std::min(most, kTypedRows);
  run.first_tile = static_cast<std::uint32_t>(result.tiles.size());
  const auto type_of = [&](std::uint32_t row) { return launch.types ? (*launch.types)[row] : 0; };
  for (std::uint32_t begin = 0; begin < run.rows;) {
    const std::uint32_t row = rows_[begin];
    std::uint32_t end = begin + 1;
    if (by_place && !launch.types) {
      end = begin + std::min(most, run.rows - begin);
    } else {
      const auto goes_on = [&](std::uint32_t at) {
        if (by_place) return type_of(rows_[at]) == type_of(row);
        return rows_[at] == rows_[at - 1] + 1;
      };
      while (end < run.rows && end - begin < most && goes_on(end)) ++end;
    }
    const std::uint32_t first = by_place ? begin : row;
    result.tiles.push_back({first, first + (end - begin), type_of(row)});
    begin = end;
  }
  run.tiles = static_cast<std::uint32_t>(result.tiles.size()) - run.first_tile;
}

}  // namespace vecc
