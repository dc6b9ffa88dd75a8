#include "src/batch/value_numbers.h"

#include <algorithm>
#include <optional>

#include "src/batch/stored_rows.h"

namespace vecc {

ValueNumbers::ValueNumbers(const BatchPlan& plan)
    : plan_(plan), alike_(plan.units.size(), 0), counts_(plan.units.size(), 0) {
  for (BufferIndex b = 0; b < plan.units.size(); ++b) {
    const std::uint64_t units = plan.made_buffers[b] ? plan.unit_counts[b] : 0;
    const std::uint64_t blocks = (units + plan.blocks[b] - 1) / plan.blocks[b];
    sets_.emplace_back(blocks);
    before_.emplace_back((blocks + 63) / 64);
  }
  for (const BatchLaunch& launch : plan.launches) {
    for (const BatchAccess& access : launch.accesses) {
      if (access.map == RowMap::Tile && plan.made_buffers[access.buffer]) {
        by_type_.push_back(access);
      }
    }
  }
  found_.reserve(plan.units.size());
}

std::uint64_t ValueNumbers::bytes() const {
  std::uint64_t bytes = 0;
  for (const RowSet& set : sets_) bytes += set.bytes();
  for (const auto& before : before_) bytes += before.size() * sizeof(std::uint32_t);
  return bytes;
}

// for_each_row(visit) calls visit(row) of the access.
template <class Visit>
void ValueNumbers::insert_rows(const BatchAccess& access, Visit&& for_each_row) {
  RowSet& set = sets_[access.buffer];
  const std::uint64_t block = plan_.blocks[access.buffer];
  if (block == 1 && access.size == 1) {
    return for_each_row([&](std::uint64_t row) { set.insert(access.first + row); });
  }
  for_each_row([&](std::uint64_t row) {
    const std::uint64_t first = begin_of(access, row);
    const std::uint64_t last = (first + access.size - 1) / block;
    for (std::uint64_t b = first / block; b <= last; ++b) set.insert(b);
  });
}

void ValueNumbers::insert_all(const BatchRows& rows) {
  for (const BatchRows::Run& run : rows.runs) {
    const BatchLaunch& launch = plan_.launches[run.launch];
    for (std::uint32_t a = 0; a < launch.accesses.size(); ++a) {
      const BatchAccess& access = launch.accesses[a];
      if (!access.store || !plan_.made_buffers[access.buffer]) continue;
      insert_rows(access, [&](auto visit) { for_each_stored(launch, rows, run, a, visit); });
    }
  }
  for (const BatchRows::Zeros& zeros : rows.zeros) {
    const std::uint64_t block = plan_.blocks[zeros.buffer] * plan_.units[zeros.buffer];
    const std::uint64_t last = (zeros.first + zeros.count - 1) / block;
    for (std::uint64_t b = zeros.first / block; b <= last; ++b) sets_[zeros.buffer].insert(b);
  }
  for (const BatchAccess& access : by_type_) {
    insert_rows(access, [&](auto visit) {
      for (std::uint32_t row = 0; row < access.rows; ++row) visit(row);
    });
  }
}

bool ValueNumbers::are_equal(BufferIndex a, BufferIndex b) const {
  if (counts_[a] / (plan_.blocks[a] * plan_.units[a]) !=
      counts_[b] / (plan_.blocks[b] * plan_.units[b])) {
    return false;
  }
  bool equal = true;
  sets_[a].for_each_word([&](std::uint64_t word, std::uint64_t bits) {
    equal = equal && word < before_[b].size() && sets_[b].word(word) == bits;
  });
  return equal;
}

void ValueNumbers::number(BufferIndex buffer) {
  std::uint64_t count = 0;
  std::uint64_t hash = 0;
  sets_[buffer].for_each_word([&](std::uint64_t word, std::uint64_t bits) {
    before_[buffer][word] = static_cast<std::uint32_t>(count);
    count += static_cast<std::uint64_t>(std::popcount(bits));
    hash = (hash ^ bits) * 0x9E3779B97F4A7C15;
    hash = (hash ^ hash >> 29 ^ word) * 0xBF58476D1CE4E5B9;
  });
  counts_[buffer] = count * plan_.blocks[buffer] * plan_.units[buffer];
  alike_[buffer] = buffer;
  const auto [found, is_new] = found_.try_emplace(hash, buffer);
  if (!is_new && are_equal(buffer, found->second)) alike_[buffer] = found->second;
}

void ValueNumbers::set(const BatchRows& rows) {
  for (RowSet& set : sets_) set.clear();
  found_.clear();
  insert_all(rows);
  for (BufferIndex b = 0; b < sets_.size(); ++b) number(b);
}

// Places of blocks among those that the batch has.
struct ValueNumbers::Rows::Number {
  const RowSet& set;
  const std::uint32_t* before;
  std::uint64_t missing = 0;

  [[gnu::always_inline]] std::uint64_t operator()(std::uint64_t block) {
    const std::uint64_t word = set.word(block / 64);
    const std::uint64_t bit = std::uint64_t{1} << block % 64;
    missing |= ~word & bit;
    return before[block / 64] + static_cast<std::uint64_t>(__builtin_popcountll(word & (bit - 1)));
  }
};

ValueNumbers::Rows::Rows(const ValueNumbers& of, const BatchAccess& access)
    : set_(of.sets_[access.buffer]),
      before_(of.before_[of.alike_[access.buffer]]),
      first_unit_(access.first),
      size_(access.size),
      block_(of.plan_.blocks[access.buffer]) {
  const bool has_one_block = block_ == of.plan_.unit_counts[access.buffer];
  first_ = has_one_block ? first_unit_ : first_unit_ % size_;
  const std::uint64_t first_block = first_unit_ / block_;
  if (first_block == 0) return;
  // Blocks before the access; of words that are 0 they are not known.
  std::optional<std::uint64_t> before;
  const std::uint64_t end = (begin_of(access, access.rows) - 1) / block_ + 1;
  set_.for_each_word(first_block, end, [&](std::uint64_t word, std::uint64_t) {
    if (before) return;
    before = word == first_block / 64 ? Number{set_, before_.data()}(first_block) : before_[word];
  });
  first_ += before.value_or(0) * block_;
}

std::optional<std::uint64_t> ValueNumbers::Rows::place(std::uint32_t row) const {
  Number number{set_, before_.data()};
  const std::uint64_t unit = first_unit_ + row * size_;
  const std::uint64_t place = number(unit / block_) * block_ + unit % block_;
  return number.missing == 0 ? std::optional(place) : std::nullopt;
}

// Returns what is 0 if the batch has all of them.
template <class Entry>
[[gnu::always_inline]] inline std::uint64_t ValueNumbers::Rows::write_in(
    std::span<const std::uint32_t> rows, Entry* to) const {
  Number number{set_, before_.data()};
  if (block_ == 1 && size_ == 1) {
    const std::uint64_t first_unit = first_unit_;
    const std::uint64_t first = first_;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      to[i] = static_cast<Entry>(number(first_unit + rows[i]) - first);
    }
    return number.missing;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint64_t unit = first_unit_ + rows[i] * size_;
    const std::uint64_t place = number(unit / block_) * block_ + unit % block_;
    to[i] = static_cast<Entry>((place - first_) / size_);
  }
  return number.missing;
}

#if defined(__x86_64__)
// Bits are counted by one instruction, which nearly every processor has.
template <class Entry>
[[gnu::target("popcnt")]] std::uint64_t ValueNumbers::Rows::write_counted(
    std::span<const std::uint32_t> rows, Entry* to) const {
  return write_in(rows, to);
}
#endif

template <class Entry>
bool ValueNumbers::Rows::write_all(std::span<const std::uint32_t> rows, Entry* to) const {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("popcnt") != 0) return write_counted(rows, to) == 0;
#endif
  return write_in(rows, to) == 0;
}

bool ValueNumbers::Rows::write(std::span<const std::uint32_t> rows, std::uint32_t* to) const {
  return write_all(rows, to);
}

bool ValueNumbers::Rows::write(std::span<const std::uint32_t> rows, std::uint16_t* to) const {
  return write_all(rows, to);
}

}  // namespace vecc
