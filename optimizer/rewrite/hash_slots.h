// Where a hash table finds its entries: open addressing over numbers of what is stored elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/support/prefetch.h"

namespace vecc::opt {

/// Numbers (below 2^32 - 1) by 64-bit hashes. An entry's place is given by the upper bits of its
/// hash, of which a slot keeps 32: growing reads no entry, and goes through the old and the new
/// slots once from first to last.
class HashSlots {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  /// To be called before anything is found: keeps at most half of the slots in use; existing slot
  /// numbers are no longer good.
  void reserve(std::size_t entries) {
    while (2 * entries > slots_.size() && shift_ > kKeptBits) grow();
  }
  /// A hash that find() is soon asked for.
  void prefetch(std::uint64_t hash) const { prefetch_memory(&slots_[home_of(hash)]); }
  /// The slot of the first entry with such a hash for which `is(number)`; else the empty slot where
  /// it belongs.
  template <class Is>
  [[nodiscard]] std::size_t find(std::uint64_t hash, Is&& is) const {
    std::size_t slot = home_of(hash);
    for (; slots_[slot] != kEmpty; slot = next(slot)) {
      const bool may_be = (slots_[slot] ^ hash) >> kKeptBits == 0;
      if (may_be && is(static_cast<std::uint32_t>(slots_[slot]))) break;
    }
    return slot;
  }
  /// The entry in a slot; kNone if it is empty.
  [[nodiscard]] std::uint32_t operator[](std::size_t slot) const {
    return static_cast<std::uint32_t>(slots_[slot]);
  }
  void set(std::size_t slot, std::uint64_t hash, std::uint32_t number) {
    slots_[slot] = hash >> kKeptBits << kKeptBits | number;
  }

 private:
  static constexpr int kHashBits = 64;
  static constexpr int kKeptBits = 32;
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

  [[nodiscard]] std::size_t home_of(std::uint64_t hash) const { return hash >> shift_; }
  [[nodiscard]] std::size_t next(std::size_t slot) const {
    return (slot + 1) & (slots_.size() - 1);
  }
  void grow() {
    --shift_;
    std::vector<std::uint64_t> old(std::size_t{1} << (kHashBits - shift_), kEmpty);
    old.swap(slots_);
    for (const std::uint64_t entry : old) {
      if (entry == kEmpty) continue;
      std::size_t slot = home_of(entry);
      while (slots_[slot] != kEmpty) slot = next(slot);
      slots_[slot] = entry;
    }
  }

  std::vector<std::uint64_t> slots_;  // 2 to the power of kHashBits - shift_, or none yet
  int shift_ = kHashBits;
};

}  // namespace vecc::opt
