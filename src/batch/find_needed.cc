// Backwards: what is needed of what is not 0.
#include <algorithm>

#include "src/batch/batch_binder.h"
#include "src/batch/batch_loops.h"

namespace vecc {
namespace {

// Calls visit(row) for the rows of a launch that store row `n` of an access.
template <class Visit>
void for_each_stored_row(const BatchLaunch& launch, const BatchAccess& access, std::uint32_t n,
                         Visit&& visit) {
  if (!is_by_member(access)) {
    if (access.map == RowMap::List) return for_each_reader(access, n, visit);
    if (n < (access.map == RowMap::Direct ? launch.rows : 1)) visit(n);
    return;
  }
  with_owner(launch, [&](auto owner) {
    const auto to_owner = [&](std::uint32_t member) { visit(owner(member)); };
    if (access.map == RowMap::List) return for_each_reader(access, n, to_owner);
    if (n < member_count(launch)) to_owner(n);
  });
}

}  // namespace

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
    const RowSet& live = live_[access.buffer];
    for_each_row_in(needed_[access.buffer], access, [&](std::uint32_t n) {
      if (is_zero && !live.contains(begin_of(access, n))) {
        return zeros_.push_back(std::uint64_t{a} << 32 | n);
      }
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
  if (launch.drops) keep_members(number);
  for (const BatchAccess& access : launch.accesses) {
    if (access.is_made) need_load(launch, access);
  }
  add_run(number, result);
  for (const BatchUpdate& update : launch.updates) {
    if (!runs(update)) result.unstored.push_back({number, update.access});
  }
}

// Of a launch that drops: by its rows, those members that are not 0.
void BatchBinder::keep_members(std::uint32_t number) {
  const BatchLaunch& launch = plan_.launches[number];
  const RowSet& members = members_[number];
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
  switch (access.map) {
    case RowMap::One: return insert_row(needed, access, 0);
    case RowMap::Tile:
      for (const std::uint32_t row : rows_) insert_row(needed, access, (*launch.types)[row]);
      return;
    case RowMap::Direct:
    case RowMap::List: break;
  }
  const bool by_list = access.map == RowMap::List && !access.is_identity;
  const std::uint32_t* const list = by_list ? access.list->data() : nullptr;
  const auto need = [&](std::uint32_t counter) {
    insert_row(needed, access, by_list ? list[counter] : counter);
  };
  if (access.space == KernelSpace::Row) {
    for (const std::uint32_t row : rows_) need(row);
  } else if (launch.drops) {
    for (const std::uint32_t member : kept_) need(member);
  } else {
    for (const std::uint32_t row : rows_) for_each_member(launch, row, need);
  }
}

}  // namespace vecc
