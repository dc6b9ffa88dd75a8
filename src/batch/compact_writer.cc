#include "src/batch/compact_writer.h"

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <numeric>
#include <optional>

#include "src/batch/batch_loops.h"

namespace vecc {
namespace {

// Whether a kernel of a compact plan reads rows of an access by a list.
bool is_listed(const BatchLaunch& launch, const BatchAccess& access) {
  if (access.map == RowMap::List) return true;
  if (access.map != RowMap::Direct) return false;
  return access.space == KernelSpace::Member || launch.rows > 1;
}

// Room for a list behind the others.
template <class Entry>
Entry* append(std::vector<Entry>& to, std::uint64_t count) {
  to.resize(to.size() + count);
  return to.data() + (to.size() - count);
}

}  // namespace

CompactWriter::CompactWriter(const BatchPlan& plan) : plan_(plan), numbers_(plan), places_(plan) {
  std::size_t accesses = 2 * plan.launches.size();
  for (const BatchLaunch& launch : plan.launches) accesses += launch.accesses.size();
  found_.reserve(accesses);
  std::uint64_t most = 0;
  for (const BatchLaunch& launch : plan.launches) {
    const bool has_members = launch.segments != KernelSegments::None;
    most = std::max<std::uint64_t>({most, launch.rows, has_members ? member_count(launch) : 0});
  }
  rows_.reserve(most);
}

std::uint64_t CompactWriter::bytes() const {
  return numbers_.bytes() + most_rows_ * sizeof(std::uint32_t) +
         found_.bucket_count() * (sizeof(Key) + sizeof(std::uint32_t));
}

void CompactWriter::write(const BatchRows& from, BatchRows& to) {
  to.clear();
  found_.clear();
  numbers_.set(from);
  places_.set(numbers_.counts());
  to.value_count = places_.count();
  to.tiles = from.tiles;  // by places of the order, which are the rows now
  to.unstored = from.unstored;
  for (const BatchRows::Run& run : from.runs) add_run(from, run, to);
  for (BatchRows::Zeros zeros : from.zeros) {
    const std::uint64_t unit = plan_.units[zeros.buffer];
    BatchAccess row;
    row.buffer = zeros.buffer;
    row.first = zeros.first / unit;
    row.size = zeros.count / unit;
    row.rows = 1;
    zeros.first =
        places_.first(zeros.buffer) + ValueNumbers::Rows(numbers_, row).place(0).value() * unit;
    to.zeros.push_back(zeros);
  }
}

void CompactWriter::add_run(const BatchRows& from, const BatchRows::Run& of, BatchRows& to) {
  const BatchLaunch& launch = plan_.launches[of.launch];
  BatchRows::Run run = of;
  // Kernels whose rows come by type always read one.
  run.order = launch.types ? order_of(of.rows, launch.is_narrow, to) : kNone;
  run.lists = static_cast<std::uint32_t>(to.lists.size());
  run.places = static_cast<std::uint32_t>(to.places.size());
  if (launch.segments == KernelSegments::Ragged) run.offsets = offsets_of(from, of, to);
  for (std::uint32_t a = 0; a < launch.accesses.size(); ++a) add_access(from, of, a, to);
  to.runs.push_back(run);
}

void CompactWriter::add_access(const BatchRows& from, const BatchRows::Run& of, std::uint32_t a,
                               BatchRows& to) {
  const BatchLaunch& launch = plan_.launches[of.launch];
  const BatchAccess& access = launch.accesses[a];
  const bool lists = is_listed(launch, access);
  std::uint64_t place = 0;
  if (plan_.made_buffers[access.buffer]) {
    const std::uint64_t unit = plan_.units[access.buffer];
    const ValueNumbers::Rows rows(numbers_, access);
    const std::optional<std::uint64_t> first = lists ? rows.first() : rows.place(0);
    VECC_CHECK(first, "a batch without a row that it reads");
    place = places_.first(access.buffer) + *first * unit;
  }
  to.places.push_back(place);
  to.lists.push_back(lists ? list_of(from, of, a, to) : kNone);
}

std::uint32_t CompactWriter::offsets_of(const BatchRows& from, const BatchRows::Run& of,
                                        BatchRows& to) {
  const BatchLaunch& launch = plan_.launches[of.launch];
  Key key{.count = of.rows, .is_offsets = true};
  key.place = launch.drops ? of.offsets : of.order;
  key.is_narrow = !launch.drops && launch.is_narrow;
  key.offsets = launch.drops ? nullptr : launch.offsets.get();
  const auto [found, is_new] = found_.try_emplace(key, to_row(to.wide.size()));
  if (!is_new) return found->second;
  if (launch.drops) {
    const auto begin = from.wide.begin() + of.offsets;
    to.wide.insert(to.wide.end(), begin, begin + of.rows + 1);
    return found->second;
  }
  std::uint32_t members = 0;
  to.wide.push_back(0);
  for (std::uint32_t i = 0; i < of.rows; ++i) {
    const std::uint32_t row = from.entry(of.order + i, launch.is_narrow);
    members += (*launch.offsets)[row + 1] - (*launch.offsets)[row];
    to.wide.push_back(members);
  }
  return found->second;
}

std::uint32_t CompactWriter::order_of(std::uint32_t count, bool is_narrow, BatchRows& to) {
  Key key{.count = count, .is_narrow = is_narrow};
  key.is_order = true;
  const auto [found, is_new] =
      found_.try_emplace(key, to_row(is_narrow ? to.narrow.size() : to.wide.size()));
  if (!is_new) return found->second;
  const auto fill = [&](auto& entries) {
    auto* const first = append(entries, count);
    std::iota(first, first + count, 0);
  };
  is_narrow ? fill(to.narrow) : fill(to.wide);
  return found->second;
}

CompactWriter::Key CompactWriter::key_of(const BatchRows& from, const BatchRows::Run& of,
                                         std::uint32_t a) const {
  const BatchLaunch& launch = plan_.launches[of.launch];
  const BatchAccess& access = launch.accesses[a];
  const bool is_member = access.space == KernelSpace::Member;
  Key key{.count = of.rows, .is_narrow = launch.is_narrow};
  if (launch.drops) {
    key.place = from.lists[of.lists + a];
    if (is_member) key.count = from.wide[of.offsets + of.rows];
  } else {
    key.place = of.order;
    if (access.map == RowMap::List && !access.is_identity) key.list = access.list->data();
    if (is_member) {
      key.offsets = launch.offsets.get();
      key.members = launch.members;
      if (launch.segments == KernelSegments::Strided) key.stride = launch.rows;
    }
  }
  if (!plan_.made_buffers[access.buffer]) return key;
  key.buffer = numbers_.alike(access.buffer);
  key.first = access.first;
  key.size = access.size;
  key.block = plan_.blocks[access.buffer];
  key.has_one_block = key.block == plan_.unit_counts[access.buffer];
  return key;
}

// Sets rows_ to what the members of a launch that does not drop have in the list.
void CompactWriter::find_members(const BatchRows& from, const BatchLaunch& launch, const Key& key) {
  std::uint32_t* to = rows_.data();
  const auto* const list = static_cast<const std::uint32_t*>(key.list);
  const auto entry = [&](std::uint32_t i) { return from.entry(key.place + i, key.is_narrow); };
  const auto add = [&](std::uint32_t member) { *to++ = list == nullptr ? member : list[member]; };
  if (key.stride != 0) {
    for (std::uint32_t k = 0; k < key.members; ++k) {
      for (std::uint32_t i = 0; i < key.count; ++i) add(entry(i) + k * key.stride);
    }
  } else if (launch.segments == KernelSegments::Ragged && list != nullptr) {
    const std::uint32_t* const offsets = launch.offsets->data();
    for (std::uint32_t i = 0; i < key.count; ++i) {
      if (i + kAhead < key.count) prefetch_memory(offsets + entry(i + kAhead));
      if (i + kAhead / 2 < key.count) prefetch_memory(list + offsets[entry(i + kAhead / 2)]);
      const std::uint32_t row = entry(i);
      for (std::uint32_t m = offsets[row]; m < offsets[row + 1]; ++m) *to++ = list[m];
    }
  } else {
    for (std::uint32_t i = 0; i < key.count; ++i) for_each_member(launch, entry(i), add);
  }
  rows_.set_size(static_cast<std::uint64_t>(to - rows_.data()));
}

// What a list names, by the numbers of all rows, in the order of the new counters.
std::span<const std::uint32_t> CompactWriter::rows_of(const BatchRows& from,
                                                      const BatchLaunch& launch, const Key& key,
                                                      bool is_member) {
  if (!launch.drops && is_member) {
    find_members(from, launch, key);
    return rows_;
  }
  const auto* const list = static_cast<const std::uint32_t*>(key.list);
  if (!key.is_narrow && list == nullptr) return {from.wide.data() + key.place, key.count};
  std::uint32_t* const rows = rows_.data();
  for (std::uint32_t i = 0; i < key.count; ++i) {
    if (list != nullptr && i + kAhead < key.count) {
      prefetch_memory(list + from.entry(key.place + i + kAhead, key.is_narrow));
    }
    const std::uint32_t entry = from.entry(key.place + i, key.is_narrow);
    rows[i] = list == nullptr ? entry : list[entry];
  }
  rows_.set_size(key.count);
  return rows_;
}

std::uint32_t CompactWriter::list_of(const BatchRows& from, const BatchRows::Run& of,
                                     std::uint32_t a, BatchRows& to) {
  const BatchLaunch& launch = plan_.launches[of.launch];
  const BatchAccess& access = launch.accesses[a];
  const Key key = key_of(from, of, a);
  const auto [found, is_new] =
      found_.try_emplace(key, to_row(launch.is_narrow ? to.narrow.size() : to.wide.size()));
  if (!is_new) return found->second;
  const std::span<const std::uint32_t> entries =
      rows_of(from, launch, key, access.space == KernelSpace::Member);
  most_rows_ = std::max<std::uint64_t>(most_rows_, rows_.size());
  if (key.buffer == kNone) {
    static_cast<void>(to.add(entries, launch.is_narrow));
    return found->second;
  }
  const ValueNumbers::Rows rows(numbers_, access);
  const bool were_there = launch.is_narrow ? rows.write(entries, append(to.narrow, entries.size()))
                                           : rows.write(entries, append(to.wide, entries.size()));
  VECC_CHECK(were_there, "a batch without rows that it reads");
  return found->second;
}

std::size_t CompactWriter::KeyHash::operator()(const Key& key) const {
  std::size_t hash = key.place;
  const int flags = (key.is_narrow ? 1 : 0) + (key.is_offsets ? 2 : 0) + (key.is_order ? 4 : 0);
  boost::hash_combine(hash, flags);
  boost::hash_combine(hash, key.count);
  boost::hash_combine(hash, key.list);
  boost::hash_combine(hash, key.offsets);
  boost::hash_combine(hash, key.members);
  boost::hash_combine(hash, key.stride);
  boost::hash_combine(hash, key.buffer);
  boost::hash_combine(hash, key.first);
  boost::hash_combine(hash, key.size);
  return hash;
}

}  // namespace vecc
