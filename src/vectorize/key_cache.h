// Values of keys that are asked for again and again.
#pragma once

#include <array>
#include <cstdint>

namespace vecc::vectorizer {

/// Remembers one key in each of 256 places, without a hash table's search.
class KeyCache {
 public:
  /// What find() gave for the key the last time, if that is still there.
  template <class Find>
  std::uint32_t of(std::uint64_t key, const Find& find) {
    Entry& entry = entries_[((key >> 32) * 31 + key) % entries_.size()];
    if (entry.key != key) {
      const std::uint32_t value = find();
      entry = {key, value};
    }
    return entry.value;
  }
  void clear() { entries_.fill({}); }

 private:
  struct Entry {
    std::uint64_t key = ~0ull;  // of no table and no layer: asked for by no element
    std::uint32_t value = 0;
  };
  std::array<Entry, 256> entries_;
};

}  // namespace vecc::vectorizer
