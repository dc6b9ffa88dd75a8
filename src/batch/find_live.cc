// Forwards: what is not 0 in a batch.
#include <algorithm>

#include "src/batch/batch_loops.h"
#include "src/batch/row_finder.h"

namespace vecc {
namespace {

bool has(const std::vector<std::uint32_t>& accesses, std::uint32_t access) {
  return std::ranges::find(accesses, access) != accesses.end();
}

// Adds to `to` the rows below `count` that have a unit in `set`, by words where a row is a unit.
// Whether there are any.
bool insert_rows_in(const RowSet& set, const BatchAccess& access, std::uint64_t count, RowSet& to) {
  bool has_any = false;
  const auto end = to_row(std::min<std::uint64_t>(count, access.rows));
  if (access.size > 1) {
    for_each_row_in(set, access, 0, end, [&](std::uint32_t row) {
      has_any = true;
      to.insert(row);
    });
    return has_any;
  }
  const std::uint64_t base = access.first / 64;
  const std::uint64_t shift = access.first % 64;
  set.for_each_word(access.first, access.first + end, [&](std::uint64_t word, std::uint64_t bits) {
    has_any = true;
    const std::uint64_t own = bits >> shift;
    if (own != 0) to.insert_word(word - base, own);
    const std::uint64_t before = shift == 0 ? 0 : bits << (64 - shift);
    if (before != 0) to.insert_word(word - base - 1, before);
  });
  return has_any;
}

}  // namespace

void RowFinder::find_live(const Batch& batch, RowSink& sink) {
  for (std::size_t w = 0; w < batch.weights.size(); ++w) {
    for (const BufferIndex buffer : plan_.weights[w]) {
      for (const std::uint32_t row : batch.weights[w].rows) {
        live_[buffer].insert(row / plan_.units[buffer]);
      }
    }
  }
  for (std::uint32_t l = 0; l < plan_.launches.size(); ++l) {
    const std::vector<BatchSources>& sources = plan_.launches[l].sources;
    for (auto of = sources.begin(); of != sources.end(); ++of) {
      for (const std::uint32_t load : of->loads) {
        const auto has_load = [&](const BatchSources& before) { return has(before.loads, load); };
        // Its members are known, and no rows are asked for.
        if (of->stores.empty() && std::any_of(sources.begin(), of, has_load)) continue;
        find_live_load(l, load, *of);
      }
      if (!traits_[l].is_pure) mark_live(l, *of);
    }
    if (traits_[l].is_pure) run_live(l, sink);
  }
}

// The rows and members at hand are those that read what is not 0.
void RowFinder::find_live_load(std::uint32_t number, std::uint32_t load,
                               const BatchSources& sources) {
  const BatchLaunch& launch = plan_.launches[number];
  const BatchAccess& access = launch.accesses[load];
  bool has_live = false;
  if (!live_[access.buffer].empty()) {
    has_live = is_by_member(access) ? find_live_members(launch, access)
                                    : find_live_rows(launch, access, sources);
  }
  has_live_[number][load] = has_live ? 1 : 0;
}

// The stores of a launch that is not pure. No rows and members are at hand then.
void RowFinder::mark_live(std::uint32_t number, const BatchSources& sources) {
  if (row_set_.empty() && member_set_.empty()) return;
  const BatchLaunch& launch = plan_.launches[number];
  if (launch.drops) {
    RowSet& members = members_[number];
    member_set_.for_each_word(
        [&](std::uint64_t word, std::uint64_t bits) { members.insert_word(word, bits); });
  }
  if (sources.stores.empty()) {
    row_set_.clear();
    member_set_.clear();
    return;
  }
  take_rows_at_hand(launch);
  member_set_.clear();
  const auto is_of_members = [&](std::uint32_t store) {
    return launch.accesses[store].space == KernelSpace::Member;
  };
  if (launch.drops && std::ranges::any_of(sources.stores, is_of_members)) {
    keep_members(launch, members_[number], 0, found_);
  }
  for (const std::uint32_t store : sources.stores) mark_store(launch, launch.accesses[store]);
}

// The rows at hand, and those of the members at hand. No rows are at hand then.
void RowFinder::take_rows_at_hand(const BatchLaunch& launch) {
  if (!member_set_.empty()) {
    take_rows_of_members(launch, member_set_, 0, found_);
    if (row_set_.empty()) return;
    for (const std::uint32_t row : found_.rows) row_set_.insert(row);
  }
  take_row_set(launch);
}

// All that the launch stores comes from what is not 0.
void RowFinder::run_live(std::uint32_t number, RowSink& sink) {
  if (row_set_.empty() && member_set_.empty()) return;
  const BatchLaunch& launch = plan_.launches[number];
  if (row_set_.empty()) {
    take_members(launch, member_set_, 0, found_);
  } else {
    take_rows_at_hand(launch);
    if (launch.drops) keep_members(launch, member_set_, 0, found_);
  }
  member_set_.clear();
  for (const BatchSources& sources : launch.sources) {
    for (const std::uint32_t store : sources.stores) mark_store(launch, launch.accesses[store]);
  }
  run(number, sink);
}

// Calls visit(counter) for what reads, by a list, a row that is not 0. Whether there is any.
template <class Visit>
bool RowFinder::for_each_live_reader(const BatchAccess& access, Visit&& visit) {
  entries_.clear();
  if (access.is_identity) {
    for_each_row_in(live_[access.buffer], access,
                    [&](std::uint32_t row) { entries_.push_back(row); });
    for (const std::uint32_t row : entries_) visit(row);
    return !entries_.empty();
  }
  for_each_row_in(live_[access.buffer], access, access.first_read, access.end_read,
                  [&](std::uint32_t row) { entries_.push_back(row); });
  const InverseIndex& readers = *access.readers;
  const auto begin_of_row = [&](std::size_t i) -> const std::uint32_t& {
    const std::uint32_t place = entries_[i] - access.first_read;
    return access.is_read_once ? readers.readers[place] : readers.offsets[place];
  };
  bool has_any = false;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (i + 2 * kAhead < entries_.size()) prefetch_memory(&begin_of_row(i + 2 * kAhead));
    if (!access.is_read_once && i + kAhead < entries_.size()) {
      prefetch_memory(readers.readers.data() + begin_of_row(i + kAhead));
    }
    for_each_reader(access, entries_[i], [&](std::uint32_t counter) {
      has_any = true;
      visit(counter);
    });
  }
  return has_any;
}

// The members, or the rows of a launch that drops none, that read what is not 0. Whether there are
// any.
bool RowFinder::find_live_members(const BatchLaunch& launch, const BatchAccess& access) {
  const bool by_list = access.map == RowMap::List && !access.is_identity;
  if (launch.drops) {
    if (!by_list) {
      return insert_rows_in(live_[access.buffer], access, member_count(launch), member_set_);
    }
    return for_each_live_reader(access, [&](std::uint32_t m) { member_set_.insert(m); });
  }
  const std::uint64_t count = member_count(launch);
  bool is_read = false;
  with_owner(launch, [&](auto owner) {
    const auto note = [&](std::uint32_t member) { row_set_.insert(owner(member)); };
    if (access.map == RowMap::List) {
      is_read = for_each_live_reader(access, note);
      return;
    }
    for_each_row_in(live_[access.buffer], access, [&](std::uint32_t row) {
      if (row >= count) return;
      is_read = true;
      note(row);
    });
  });
  return is_read;
}

// The rows of a launch that read what is not 0. Whether there are any.
bool RowFinder::find_live_rows(const BatchLaunch& launch, const BatchAccess& access,
                               const BatchSources& sources) {
  bool is_read = false;
  const auto note = [&](std::uint32_t row) {
    is_read = true;
    row_set_.insert(row);
  };
  if (access.map == RowMap::List) return for_each_live_reader(access, note);
  for_each_row_in(live_[access.buffer], access, [&](std::uint32_t row) {
    switch (access.map) {
      case RowMap::List: return;  // above
      case RowMap::Direct:
        if (row < launch.rows) note(row);
        return;
      case RowMap::One:
        is_read = is_read || row == 0;
        if (sources.stores.empty()) return;  // no row is marked
        for (std::uint32_t r = 0; r < launch.rows && row == 0; ++r) note(r);
        return;
      case RowMap::Tile:
        for (std::uint32_t r = 0; r < launch.rows; ++r) {
          if ((*launch.types)[r] == row) note(r);
        }
        return;
    }
  });
  return is_read;
}

// What the live rows store need not be 0; of a launch that drops, that of the members it keeps.
void RowFinder::mark_store(const BatchLaunch& launch, const BatchAccess& access) {
  RowSet& live = live_[access.buffer];
  const auto insert = [&](std::uint32_t counter) {
    if (access.map == RowMap::Direct) return insert_row(live, access, counter);
    insert_row(live, access, access.map == RowMap::List ? (*access.list)[counter] : 0);
  };
  if (launch.drops && access.space == KernelSpace::Member) {
    for (const std::uint32_t member : found_.members) insert(member);
    return;
  }
  for (const std::uint32_t row : found_.rows) {
    access.space == KernelSpace::Row ? insert(row) : for_each_member(launch, row, insert);
  }
}

}  // namespace vecc
