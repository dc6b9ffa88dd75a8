// A hash table of row numbers, which are looked up by what stands in their rows.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "src/support/prefetch.h"

namespace vecc::tools::ground {

/// Of the words of a row, or of some of them. A single word is its own hash: constants are counted
/// from 0, and those that follow each other stay neighbours in memory.
[[nodiscard]] inline std::uint32_t hash_words(std::span<const std::uint32_t> words) {
  if (words.size() == 1) return words[0];
  std::uint64_t hash = 0x9E3779B97F4A7C15ull;
  for (const std::uint32_t word : words) {
    hash = (hash ^ word) * 0xD6E8FEB86659FD93ull;
    hash ^= hash >> 32;
  }
  return static_cast<std::uint32_t>(hash);
}

class RowHash {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// The row of this hash that `is_equal(row)`, or kNone.
  template <class IsEqual>
  [[nodiscard]] std::uint32_t find(std::uint32_t hash, const IsEqual& is_equal) const {
    if (slots_.empty()) return kNone;
    return slots_[slot_of(hash, is_equal)].row;
  }
  /// A look-up of this hash comes soon.
  void prefetch(std::uint32_t hash) const {
    if (!slots_.empty()) prefetch_memory(&slots_[hash & (slots_.size() - 1)]);
  }
  /// A row that may have this hash, or kNone.
  [[nodiscard]] std::uint32_t first(std::uint32_t hash) const {
    if (slots_.empty()) return kNone;
    const Slot& slot = slots_[hash & (slots_.size() - 1)];
    return slot.hash == hash ? slot.row : kNone;
  }
  /// Its place, to be changed to another row that is equal; kNone there: it is new, and the caller
  /// sets it. The place holds until the next call.
  template <class IsEqual>
  [[nodiscard]] std::uint32_t& place(std::uint32_t hash, const IsEqual& is_equal) {
    if ((count_ + 1) * 4 > slots_.size() * 3) grow();
    Slot& slot = slots_[slot_of(hash, is_equal)];
    if (slot.row == kNone) {
      slot.hash = hash;
      ++count_;
    }
    return slot.row;
  }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t row = kNone;
  };

  template <class IsEqual>
  [[nodiscard]] std::size_t slot_of(std::uint32_t hash, const IsEqual& is_equal) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    while (slots_[at].row != kNone && !(slots_[at].hash == hash && is_equal(slots_[at].row))) {
      at = (at + 1) & mask;
    }
    return at;
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : 2 * slots_.size());
    old.swap(slots_);
    const std::size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.row == kNone) continue;
      std::size_t at = slot.hash & mask;
      while (slots_[at].row != kNone) at = (at + 1) & mask;
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;  // a power of two of them, or none
  std::size_t count_ = 0;
};

}  // namespace vecc::tools::ground
