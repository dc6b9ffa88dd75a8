#include "src/batch/batch_binder.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace vecc {
namespace {

std::uint32_t to_row(std::uint64_t number) {
  return static_cast<std::uint32_t>(number);
}

std::uint64_t begin_of(const BatchAccess& access, std::uint64_t row) {
  return access.first + row * access.size;
}

// Calls visit(member) for a row's, as numbers of the loop's counter.
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

std::uint64_t member_count(const BatchLaunch& launch) {
  return launch.segments == KernelSegments::Ragged ? launch.offsets->back()
                                                   : std::uint64_t{launch.rows} * launch.members;
}

void insert_row(RowSet& set, const BatchAccess& access, std::uint64_t row) {
  if (access.size == 1) {
    set.insert(access.first + row);
  } else {
    set.insert(begin_of(access, row), access.size);
  }
}

// Calls visit(row) for the rows of an access that have a unit in `set`.
template <class Visit>
void for_each_row_in(const RowSet& set, const BatchAccess& access, Visit&& visit) {
  std::uint64_t next = 0;  // rows before it were visited
  set.for_each(access.first, begin_of(access, access.rows), [&](std::uint64_t unit) {
    const std::uint64_t row = (unit - access.first) / access.size;
    if (row < next) return;
    next = row + 1;
    visit(to_row(row));
  });
}

}  // namespace

BatchBinder::BatchBinder(const BatchPlan& plan) : plan_(plan) {
  for (std::size_t b = 0; b < plan.units.size(); ++b) {
    live_.emplace_back(plan.zero_buffers[b] ? plan.unit_counts[b] : 0);
    needed_.emplace_back(plan.made_buffers[b] ? plan.unit_counts[b] : 0);
  }
  std::uint64_t rows = 0;
  std::uint64_t members = 0;
  std::size_t accesses = 0;
  for (const BatchLaunch& launch : plan.launches) {
    rows = std::max<std::uint64_t>(rows, launch.rows);
    accesses = std::max(accesses, launch.accesses.size());
    members_.emplace_back(launch.drops ? member_count(launch) : 0);
    if (launch.drops) members = std::max(members, member_count(launch));
    has_live_.emplace_back(launch.accesses.size());
  }
  row_set_ = RowSet(rows);
  rows_.reserve(rows);
  offsets_.reserve(rows + 1);
  kept_.reserve(members);
  entries_.reserve(std::max(rows, members));
  runs_.resize(plan.groups.size());
  touched_.resize(plan.groups.size());
}

std::uint64_t BatchBinder::bytes() const {
  std::uint64_t bytes = row_set_.bytes();
  for (const auto* sets : {&live_, &needed_, &members_}) {
    for (const RowSet& set : *sets) bytes += set.bytes();
  }
  return bytes;
}

void BatchBinder::bind(const Batch& batch, BatchRows& result) {
  result.clear();
  find_live(batch);
  find_groups(batch);
  for (auto l = to_row(plan_.launches.size()); l-- > 0;) find_needed(l, result);
  std::ranges::reverse(result.runs);
  std::ranges::reverse(result.zeros);
  for (std::vector<RowSet>* sets : {&live_, &needed_, &members_}) {
    for (RowSet& set : *sets) set.clear();
  }
}

void BatchBinder::find_live(const Batch& batch) {
  for (std::size_t w = 0; w < batch.weights.size(); ++w) {
    for (const BufferIndex buffer : plan_.weights[w]) {
      for (const std::uint32_t row : batch.weights[w].rows) {
        live_[buffer].insert(row / plan_.units[buffer]);
      }
    }
  }
  for (std::uint32_t l = 0; l < plan_.launches.size(); ++l) {
    const BatchLaunch& launch = plan_.launches[l];
    for (const BatchSources& sources : launch.sources) {
      for (const std::uint32_t load : sources.loads) find_live_rows(l, load);
      if (row_set_.empty()) continue;
      for (const std::uint32_t store : sources.stores) mark_store(launch, launch.accesses[store]);
      row_set_.clear();
    }
  }
}

std::uint32_t BatchBinder::owner_of(const BatchLaunch& launch, std::uint32_t member) const {
  switch (launch.segments) {
    case KernelSegments::Ragged: return (*launch.owners)[member];
    case KernelSegments::Fixed: return member / launch.members;
    case KernelSegments::Strided: return member % launch.rows;
    case KernelSegments::None: break;
  }
  fail_check("members of segments", __FILE__, __LINE__, "");
}

void BatchBinder::note_live_member(std::uint32_t number, std::uint32_t member) {
  const BatchLaunch& launch = plan_.launches[number];
  if (launch.drops) members_[number].insert(member);
  row_set_.insert(owner_of(launch, member));
}

// Row `row` of what an access of rows reads is not 0. Whether any row of the launch reads it.
bool BatchBinder::note_live_row(const BatchLaunch& launch, const BatchAccess& access,
                                std::uint32_t row) {
  switch (access.map) {
    case RowMap::Direct:
      if (row >= launch.rows) return false;
      row_set_.insert(row);
      return true;
    case RowMap::List: {
      const InverseIndex& readers = *access.readers;
      for (std::uint32_t i = readers.offsets[row]; i < readers.offsets[row + 1]; ++i) {
        row_set_.insert(readers.readers[i]);
      }
      return readers.offsets[row] < readers.offsets[row + 1];
    }
    case RowMap::One:
      if (row > 0) return false;
      row_set_.insert(0, launch.rows);
      return true;
    case RowMap::Tile: break;
  }
  bool is_read = false;
  for (std::uint32_t r = 0; r < launch.rows; ++r) {
    if ((*launch.types)[r] != row) continue;
    row_set_.insert(r);
    is_read = true;
  }
  return is_read;
}

// The rows of a launch that read what is not 0 by one of its loads.
void BatchBinder::find_live_rows(std::uint32_t number, std::uint32_t load) {
  const BatchLaunch& launch = plan_.launches[number];
  const BatchAccess& access = launch.accesses[load];
  char& has_live = has_live_[number][load];
  has_live = 0;
  if (live_[access.buffer].empty()) return;
  const bool by_member = access.space == KernelSpace::Member &&
                         (access.map == RowMap::Direct || access.map == RowMap::List);
  const std::uint64_t members = by_member ? member_count(launch) : 0;
  for_each_row_in(live_[access.buffer], access, [&](std::uint32_t row) {
    if (!by_member) {
      if (note_live_row(launch, access, row)) has_live = 1;
    } else if (access.map == RowMap::Direct) {
      if (row >= members) return;
      has_live = 1;
      note_live_member(number, row);
    } else {
      const InverseIndex& readers = *access.readers;
      for (std::uint32_t i = readers.offsets[row]; i < readers.offsets[row + 1]; ++i) {
        has_live = 1;
        note_live_member(number, readers.readers[i]);
      }
    }
  });
}

// What the live rows store need not be 0.
void BatchBinder::mark_store(const BatchLaunch& launch, const BatchAccess& access) {
  RowSet& live = live_[access.buffer];
  const auto insert = [&](std::uint32_t counter) {
    if (access.map == RowMap::Direct) return insert_row(live, access, counter);
    insert_row(live, access, access.map == RowMap::List ? (*access.list)[counter] : 0);
  };
  row_set_.for_each(0, launch.rows, [&](std::uint64_t row) {
    if (access.space == KernelSpace::Row) {
      insert(to_row(row));
    } else {
      for_each_member(launch, to_row(row), insert);
    }
  });
}

// A parameter that no sample reaches stays, as it does where the batch is a Program of its own.
void BatchBinder::find_groups(const Batch& batch) {
  std::ranges::fill(runs_, 0);
  for (std::size_t l = 0; l < plan_.launches.size(); ++l) {
    for (const BatchUpdate& update : plan_.launches[l].updates) {
      if (update.group == kNone) continue;
      for (const std::uint32_t source : update.sources) {
        if (has_live_[l][source] != 0) runs_[update.group] = 1;
      }
    }
  }
  if (!plan_.lists_touched) return;
  std::ranges::fill(touched_, nullptr);
  for (const auto& [parameter, rows] : batch.touched) {
    const auto at = std::ranges::find(plan_.groups, parameter);
    if (at != plan_.groups.end() && !rows.empty()) touched_[at - plan_.groups.begin()] = &rows;
  }
  for (std::size_t g = 0; g < runs_.size(); ++g) {
    if (touched_[g] == nullptr) runs_[g] = 0;
  }
}

bool BatchBinder::runs(const BatchUpdate& update) const {
  return update.group == kNone || runs_[update.group] != 0;
}

// The rows of a launch that store row `n` of an access.
template <class Visit>
void BatchBinder::for_each_stored_row(const BatchLaunch& launch, const BatchAccess& access,
                                      std::uint32_t n, Visit&& visit) const {
  const bool is_member = access.space == KernelSpace::Member;
  const auto to_owner = [&](std::uint32_t counter) {
    visit(is_member ? owner_of(launch, counter) : counter);
  };
  switch (access.map) {
    case RowMap::Direct: {
      const std::uint64_t count = is_member ? member_count(launch) : launch.rows;
      if (n < count) to_owner(n);
      return;
    }
    case RowMap::List: {
      const InverseIndex& readers = *access.readers;
      for (std::uint32_t i = readers.offsets[n]; i < readers.offsets[n + 1]; ++i) {
        to_owner(readers.readers[i]);
      }
      return;
    }
    case RowMap::One:
    case RowMap::Tile:
      if (n == 0) visit(0u);
      return;
  }
}

void BatchBinder::need_updates(std::uint32_t number) {
  const BatchLaunch& launch = plan_.launches[number];
  for (const BatchUpdate& update : launch.updates) {
    if (!runs(update)) continue;
    if (!plan_.lists_touched || update.group == kNone) {
      row_set_.insert(0, launch.rows);
      continue;
    }
    const BatchAccess& access = launch.accesses[update.access];
    for (const std::uint32_t row : *touched_[update.group]) {
      for_each_stored_row(launch, access, row, [&](std::uint32_t r) { row_set_.insert(r); });
    }
  }
}

void BatchBinder::need_stores(const BatchLaunch& launch) {
  zeros_.clear();
  for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
    const BatchAccess& access = launch.accesses[a];
    if (!access.store || needed_[access.buffer].empty()) continue;
    const bool is_zero = plan_.zero_buffers[access.buffer];
    for_each_row_in(needed_[access.buffer], access, [&](std::uint32_t n) {
      const bool is_live = !is_zero || live_[access.buffer].contains(begin_of(access, n));
      if (!is_live) return zeros_.push_back(std::uint64_t{a} << 32 | n);
      for_each_stored_row(launch, access, n, [&](std::uint32_t r) { row_set_.insert(r); });
    });
  }
}

// What is needed and 0, unless the launch computes it with others.
void BatchBinder::note_zeros(std::uint32_t number, BatchRows& result) const {
  const BatchLaunch& launch = plan_.launches[number];
  for (const std::uint64_t zero : zeros_) {
    const BatchAccess& access = launch.accesses[zero >> 32];
    const auto n = to_row(zero & 0xFFFFFFFFu);
    bool is_stored = false;
    bool is_computed = false;
    for_each_stored_row(launch, access, n, [&](std::uint32_t r) {
      is_stored = true;
      is_computed = is_computed || row_set_.contains(r);
    });
    if (is_computed || !is_stored) continue;
    const std::uint64_t unit = plan_.units[access.buffer];
    result.zeros.push_back({number, access.buffer, begin_of(access, n) * unit, access.size * unit});
  }
}

void BatchBinder::find_needed(std::uint32_t number, BatchRows& result) {
  const BatchLaunch& launch = plan_.launches[number];
  need_updates(number);
  need_stores(launch);
  if (!zeros_.empty()) note_zeros(number, result);
  if (row_set_.empty()) return;
  rows_.clear();
  row_set_.for_each(0, launch.rows, [&](std::uint64_t row) { rows_.push_back(to_row(row)); });
  row_set_.clear();
  if (launch.drops) {
    if (launch.types) sort_by_type(launch);
    keep_members(number);
  }
  need_loads(number);
  add_run(number, result);
  for (const BatchUpdate& update : launch.updates) {
    if (!runs(update)) result.unstored.push_back({number, update.access});
  }
}

// Of a launch that drops: by its rows, those members that are not 0.
void BatchBinder::keep_members(std::uint32_t number) {
  const BatchLaunch& launch = plan_.launches[number];
  kept_.clear();
  offsets_.assign(1, 0);
  for (const std::uint32_t row : rows_) {
    members_[number].for_each((*launch.offsets)[row], (*launch.offsets)[row + 1],
                              [&](std::uint64_t member) { kept_.push_back(to_row(member)); });
    offsets_.push_back(to_row(kept_.size()));
  }
}

void BatchBinder::need_loads(std::uint32_t number) {
  const BatchLaunch& launch = plan_.launches[number];
  for (const BatchAccess& access : launch.accesses) {
    if (!access.is_made) continue;
    RowSet& needed = needed_[access.buffer];
    const auto need = [&](std::uint32_t counter) {
      insert_row(needed, access, access.map == RowMap::List ? (*access.list)[counter] : counter);
    };
    switch (access.map) {
      case RowMap::One: insert_row(needed, access, 0); continue;
      case RowMap::Tile:
        for (const std::uint32_t row : rows_) insert_row(needed, access, (*launch.types)[row]);
        continue;
      case RowMap::Direct:
      case RowMap::List: break;
    }
    if (access.space == KernelSpace::Row) {
      for (const std::uint32_t row : rows_) need(row);
    } else if (launch.drops) {
      for (const std::uint32_t member : kept_) need(member);
    } else {
      for (const std::uint32_t row : rows_) for_each_member(launch, row, need);
    }
  }
}

}  // namespace vecc
