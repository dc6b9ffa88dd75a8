// Numbers for pairs of numbers, in the order in which they first occur.
#pragma once

#include <cstdint>
#include <vector>

#include "optimizer/iso/keyed_hash.h"

namespace vecc::iso {

class PairTable {
 public:
  PairTable() : slots_(16) {}

  [[nodiscard]] std::uint32_t size() const { return size_; }
  /// The number of the pair; size() - 1 afterwards if it is new.
  std::uint32_t number(std::uint32_t left, std::uint32_t right) {
    const std::uint64_t key = std::uint64_t{left} << 32 | right;
    Slot& slot = find(key);
    if (slot.number != kEmpty) return slot.number;
    slot = {key, size_++};
    if (4 * std::size_t{size_} >= 3 * slots_.size()) grow();
    return size_ - 1;
  }

 private:
  static constexpr std::uint32_t kEmpty = 0xFFFFFFFF;
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t number = kEmpty;
  };

  Slot& find(std::uint64_t key) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = mix(key) & mask;
    while (slots_[at].number != kEmpty && slots_[at].key != key) at = (at + 1) & mask;
    return slots_[at];
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number != kEmpty) find(slot.key) = slot;
    }
  }

  std::vector<Slot> slots_;
  std::uint32_t size_ = 0;
};

}  // namespace vecc::iso
