// Forwards: what is not 0 in a batch.
#include "src/batch/batch_loops.h"
#include "src/batch/row_finder.h"

namespace vecc {

void RowFinder::find_live(const Batch& batch, RowSink& sink) {
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
      for (const std::uint32_t load : sources.loads) {
        const BatchAccess& access = launch.accesses[load];
        bool has_live = false;
        if (!live_[access.buffer].empty()) {
          has_live = is_by_member(access) ? find_live_members(l, access)
                                          : find_live_rows(launch, access, sources);
        }
        has_live_[l][load] = has_live ? 1 : 0;
      }
      if (traits_[l].is_pure || row_set_.empty()) continue;
      take_row_set(launch);
      if (launch.drops) keep_members(launch, members_[l], 0, found_);
      for (const std::uint32_t store : sources.stores) mark_store(launch, launch.accesses[store]);
    }
    if (traits_[l].is_pure) run_live(l, sink);
  }
}

// All that the launch stores comes from what is not 0.
void RowFinder::run_live(std::uint32_t number, RowSink& sink) {
  if (row_set_.empty() && member_set_.empty()) return;
  const BatchLaunch& launch = plan_.launches[number];
  if (traits_[number].has_rows_by_members) {
    take_members(launch, member_set_, 0, found_);
  } else {
    take_row_set(launch);
    if (launch.drops) keep_members(launch, member_set_, 0, found_);
  }
  member_set_.clear();
  for (const BatchSources& sources : launch.sources) {
    for (const std::uint32_t store : sources.stores) mark_store(launch, launch.accesses[store]);
  }
  run(number, sink);
}

// Calls visit(counter) for what reads, by a list, a row that is not 0.
template <class Visit>
void RowFinder::for_each_live_reader(const BatchAccess& access, Visit&& visit) {
  entries_.clear();
  for_each_row_in(live_[access.buffer], access, [&](std::uint32_t row) {
    entries_.push_back(row);
    fetch_readers(access, row);
  });
  const bool has_offsets = !access.is_identity && !access.is_permutation;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (has_offsets && i + kAhead < entries_.size()) {
      const InverseIndex& readers = *access.readers;
      fetch(readers.readers.data() + readers.offsets[entries_[i + kAhead]]);
    }
    for_each_reader(access, entries_[i], visit);
  }
}

// The members, and so rows, of a launch that read what is not 0. Whether there are any.
bool RowFinder::find_live_members(std::uint32_t number, const BatchAccess& access) {
  const BatchLaunch& launch = plan_.launches[number];
  const std::uint64_t count = member_count(launch);
  RowSet& members = traits_[number].is_pure ? member_set_ : members_[number];
  bool is_read = false;
  const auto find = [&](auto&& note) {
    if (access.map == RowMap::List) return for_each_live_reader(access, note);
    for_each_row_in(live_[access.buffer], access, [&](std::uint32_t row) {
      if (row < count) note(row);
    });
  };
  if (traits_[number].has_rows_by_members) {
    const std::uint32_t* const owners = launch.owners->data();
    find([&](std::uint32_t member) {
      is_read = true;
      members.insert(member);
      fetch(owners + member);
    });
    return is_read;
  }
  with_owner(launch, [&](auto owner) {
    find([&](std::uint32_t member) {
      is_read = true;
      if (launch.drops) members.insert(member);
      row_set_.insert(owner(member));
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
  if (access.map == RowMap::List) {
    for_each_live_reader(access, note);
    return is_read;
  }
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
