#include "src/batch/launch_rows.h"

#include <algorithm>

#include "src/batch/batch_loops.h"

namespace vecc {
namespace {

// The members in `set`, whose owners are on their way into a cache.
void take_all_members(const BatchLaunch& launch, const RowSet& set, std::uint64_t first,
                      LaunchRows& to) {
  const std::uint32_t* const owners = launch.owners->data();
  to.members.clear();
  set.for_each(first, first + launch.owners->size(), [&](std::uint64_t number) {
    const auto member = to_row(number - first);
    to.members.push_back(member);
    fetch(owners + member);
  });
}

}  // namespace

void LaunchRows::reserve(const BatchPlan& plan) {
  std::uint64_t most_rows = 0;
  std::uint64_t most_members = 0;
  for (const BatchLaunch& launch : plan.launches) {
    most_rows = std::max<std::uint64_t>(most_rows, launch.rows);
    if (launch.drops) most_members = std::max(most_members, member_count(launch));
  }
  rows.reserve(most_rows);
  offsets.reserve(most_rows + 1);
  members.reserve(most_members);
}

void sort_by_type(const BatchLaunch& launch, std::vector<std::uint32_t>& rows) {
  const std::vector<std::uint32_t>& types = *launch.types;
  std::ranges::sort(rows, [&](std::uint32_t a, std::uint32_t b) {
    return types[a] != types[b] ? types[a] < types[b] : a < b;
  });
}

void take_rows(const BatchLaunch& launch, const RowSet& set, std::uint64_t first, LaunchRows& to) {
  to.rows.clear();
  set.for_each(first, first + launch.rows,
               [&](std::uint64_t number) { to.rows.push_back(to_row(number - first)); });
}

void take_members(const BatchLaunch& launch, const RowSet& set, std::uint64_t first,
                  LaunchRows& to) {
  take_all_members(launch, set, first, to);
  const std::uint32_t* const owners = launch.owners->data();
  to.rows.clear();
  to.offsets.clear();
  for (std::uint32_t i = 0; i < to.members.size(); ++i) {
    const std::uint32_t row = owners[to.members[i]];
    if (!to.rows.empty() && to.rows.back() == row) continue;
    to.rows.push_back(row);
    to.offsets.push_back(i);
  }
  to.offsets.push_back(to_row(to.members.size()));
}

void keep_members(const BatchLaunch& launch, const RowSet& set, std::uint64_t first,
                  LaunchRows& to) {
  to.offsets.assign(1, 0);
  if (launch.types) {
    to.members.clear();
    sort_by_type(launch, to.rows);
    for (const std::uint32_t row : to.rows) {
      set.for_each(first + (*launch.offsets)[row], first + (*launch.offsets)[row + 1],
                   [&](std::uint64_t number) { to.members.push_back(to_row(number - first)); });
      to.offsets.push_back(to_row(to.members.size()));
    }
    return;
  }
  take_all_members(launch, set, first, to);
  const std::uint32_t* const owners = launch.owners->data();
  std::uint32_t kept = 0;
  auto row = to.rows.begin();  // whose members come next
  for (const std::uint32_t member : to.members) {
    for (; row != to.rows.end() && *row < owners[member]; ++row) to.offsets.push_back(kept);
    if (row != to.rows.end() && *row == owners[member]) to.members[kept++] = member;
  }
  to.members.resize(kept);
  to.offsets.resize(to.rows.size() + 1, kept);
}

}  // namespace vecc
