#include "src/batch/launch_rows.h"

#include <algorithm>

#include "src/batch/batch_loops.h"

namespace vecc {
namespace {

// The words of numbers first .. first + count - 1 that are in `set`, less `first`.
void list_words(const RowSet& set, std::uint64_t first, std::uint64_t count,
                std::vector<BitWord>& words) {
  words.clear();
  set.for_each_word(first, first + count, [&](std::uint64_t word, std::uint64_t bits) {
    words.push_back({to_row(word * 64 - first), bits});
  });
}

// These numbers.
void list_numbers(const RowSet& set, std::uint64_t first, std::uint64_t count,
                  std::vector<BitWord>& words, NumberList& to) {
  list_words(set, first, count, words);
  to.set_size(list_bits(words, to.data()));
}

// `count` numbers of rows become the rows.
void set_rows(const MemberRows& member_rows, std::uint64_t count, NumberList& rows) {
  if (!member_rows.numbers_rows()) {
    for (std::uint64_t r = 0; r < count; ++r) rows.data()[r] = member_rows.row(rows.data()[r]);
  }
  rows.set_size(count);
}

}  // namespace

void NumberList::reserve(std::uint64_t most) {
  numbers_ = std::make_unique_for_overwrite<std::uint32_t[]>(most + kSlack);
  size_ = 0;
}

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
  words.reserve(std::max(most_rows, most_members) / 64 + 1);
}

void LaunchRows::reserve(const BatchLaunch& launch) {
  const std::uint64_t most_members = launch.drops ? member_count(launch) : 0;
  rows.reserve(launch.rows);
  offsets.reserve(launch.rows + std::uint64_t{1});
  members.reserve(most_members);
  words.reserve(std::max<std::uint64_t>(launch.rows, most_members) / 64 + 1);
}

void sort_by_type(const BatchLaunch& launch, NumberList& rows) {
  const std::vector<std::uint32_t>& types = *launch.types;
  std::sort(rows.data(), rows.data() + rows.size(), [&](std::uint32_t a, std::uint32_t b) {
    return types[a] != types[b] ? types[a] < types[b] : a < b;
  });
}

void take_rows(const BatchLaunch& launch, const RowSet& set, std::uint64_t first, LaunchRows& to) {
  list_numbers(set, first, launch.rows, to.words, to.rows);
}

void take_members(const BatchLaunch& launch, const RowSet& set, std::uint64_t first,
                  LaunchRows& to) {
  list_numbers(set, first, member_count(launch), to.words, to.members);
  const MemberRows& member_rows = *launch.member_rows;
  const std::uint64_t count = list_rows(to.members, member_rows, to.rows.data(), to.offsets.data());
  set_rows(member_rows, count, to.rows);
  to.offsets.set_size(count + 1);
}

void take_rows_of_members(const BatchLaunch& launch, const RowSet& set, std::uint64_t first,
                          LaunchRows& to) {
  list_words(set, first, member_count(launch), to.words);
  const MemberRows& member_rows = *launch.member_rows;
  set_rows(member_rows, list_rows(to.words, member_rows, to.rows.data()), to.rows);
}

bool keep_members(const BatchLaunch& launch, const RowSet& set, std::uint64_t first,
                  LaunchRows& to) {
  list_numbers(set, first, member_count(launch), to.words, to.members);
  const std::uint32_t all = to.members.size();
  to.members.set_size(
      keep_members_of(to.rows, *launch.member_rows, {to.members.data(), all}, to.offsets.data()));
  to.offsets.set_size(std::uint64_t{to.rows.size()} + 1);
  return to.members.size() < all;
}

}  // namespace vecc
