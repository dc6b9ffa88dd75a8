// Numbers for pairs of numbers, in the order in which they first occur.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "src/support/prefetch.h"

namespace vecc::opt {

class PairTable {
 public:
  [[nodiscard]] std::uint32_t size() const { return size_; }
  /// The number of the pair; size() - 1 afterwards if it is new.
  std::uint32_t number(std::uint32_t left, std::uint32_t right) {
    reserve(std::size_t{size_} + 1);
    return number_in_slot(key_of(left, right));
  }
  /// Calls `visit(i, number)` for the pairs (left(i), right(i)) of i = 0 .. count-1 in order. Much
  /// faster than one at a time where the table is larger than the caches.
  template <class Left, class Right, class Visit>
  void number_all(std::uint32_t count, Left&& left, Right&& right, Visit&& visit) {
    std::array<std::uint64_t, kBatch> keys;
    const std::uint32_t before = size_;
    for (std::uint64_t begin = 0; begin < count; begin += kBatch) {
      const auto first = static_cast<std::uint32_t>(begin);
      // Where most are new, room for all at once: growing step by step moves each pair once more.
      if (begin == kSample && size_ - before > kSample / 4 * 3) reserve(size_ + (count - begin));
      const std::uint32_t pairs = std::min(kBatch, count - first);
      reserve(std::size_t{size_} + pairs);
      for (std::uint32_t k = 0; k < pairs; ++k) {
        keys[k] = key_of(left(first + k), right(first + k));
        prefetch_memory(&slots_[home_of(keys[k])]);
      }
      for (std::uint32_t k = 0; k < pairs; ++k) visit(first + k, number_in_slot(keys[k]));
    }
  }

 private:
  static constexpr std::uint32_t kEmpty = 0xFFFFFFFF;
  static constexpr std::uint32_t kBatch = 32;
  static constexpr std::uint32_t kSample = 1 << 16;  // pairs, a multiple of kBatch
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t number = kEmpty;
  };

  static std::uint64_t key_of(std::uint32_t left, std::uint32_t right) {
    return std::uint64_t{left} << 32 | right;
  }
  // The upper bits of a hash: a table twice as large has all entries in nearly the same order, so
  // that growing goes through both tables once from the first slot to the last.
  [[nodiscard]] std::size_t home_of(std::uint64_t key) const {
    key = (key ^ key >> 32) * 0xD6E8FEB86659FD93ull;
    return ((key ^ key >> 32) * 0x9E3779B97F4A7C15ull) >> shift_;
  }
  Slot& find(std::uint64_t key) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = home_of(key);
    while (slots_[at].number != kEmpty && slots_[at].key != key) at = (at + 1) & mask;
    return slots_[at];
  }
  std::uint32_t number_in_slot(std::uint64_t key) {
    Slot& slot = find(key);
    if (slot.number == kEmpty) slot = {key, size_++};
    return slot.number;
  }
  // Room for this many pairs in less than three quarters of the slots.
  void reserve(std::size_t pairs) {
    std::size_t size = slots_.size();
    for (; 4 * pairs >= 3 * size; size *= 2) --shift_;
    if (size == slots_.size()) return;
    std::vector<Slot> old(size);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number != kEmpty) find(slot.key) = slot;
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(16);
  int shift_ = 64 - 4;
  std::uint32_t size_ = 0;
};

}  // namespace vecc::opt
