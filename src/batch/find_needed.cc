// Backwards: what is needed of what is not 0.
#include <algorithm>

#include "src/batch/batch_binder.h"
#include "src/batch/batch_loops.h"

namespace vecc {
namespace {

// Calls visit(member) for the members of a launch that store row `n` of an access.
template <class Visit>
void for_each_storing_member(const BatchLaunch& launch, const BatchAccess& access, std::uint32_t n,
                             Visit&& visit) {
  if (access.map == RowMap::List) return for_each_reader(access, n, visit);
  if (n < member_count(launch)) visit(n);
}

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
    for_each_storing_member(launch, access, n, [&](std::uint32_t member) { visit(owner(member)); });
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

void BatchBinder::need_stores(std::uint32_t number) {
  const BatchLaunch& launch = plan_.launches[number];
  zeros_.clear();
  for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
    const BatchAccess& access = launch.accesses[a];
    if (!access.store) continue;
    const auto run = [&](std::uint32_t n) {
      for_each_stored_row(launch, access, n, [&](std::uint32_t r) { row_set_.insert(r); });
    };
    if (!plan_.zero_buffers[access.buffer]) {
      for_each_row_in(needed_[access.buffer], access, run);
      continue;
    }
    if (!is_pure_[number]) for_each_row_in(live_[access.buffer], access, run);
    for_each_row_in(needed_[access.buffer], access,
                    [&](std::uint32_t n) { zeros_.push_back(std::uint64_t{a} << 32 | n); });
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
    if (is_computed && launch.drops && is_by_member(access)) {
      is_computed = false;
      for_each_storing_member(launch, access, n, [&](std::uint32_t member) {
        is_computed = is_computed || members_[number].contains(member);
      });
    }
    if (is_computed || !is_stored) continue;
    const std::uint64_t unit = plan_.units[access.buffer];
    result.zeros.push_back({number, access.buffer, begin_of(access, n) * unit, access.size * unit,
                            plan_.rests[access.buffer]});
  }
}

void BatchBinder::find_needed(std::uint32_t number, BatchRows& result) {
  const BatchLaunch& launch = plan_.launches[number];
  need_updates(number);
  need_stores(number);
  if (!zeros_.empty()) note_zeros(number, result);
  if (row_set_.empty()) return;
  take_rows(launch);
  if (launch.drops) keep_members(launch, members_[number]);
  add_rows(number, result);
  for (const BatchUpdate& update : launch.updates) {
    if (!runs(update)) result.unstored.push_back({number, update.access});
  }
}

}  // namespace vecc
