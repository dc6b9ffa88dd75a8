// Numbers for lists of numbers: equal lists get the same one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "optimizer/rewrite/hash_slots.h"

namespace vecc::opt {

/// Numbers lists in the order in which they first come. Lists are compared in full: a hash only
/// finds them. Fewer than 2^32 - 1 distinct lists.
class TupleTable {
 public:
  TupleTable() : begin_{0} {}
  /// The number of `tuple`, a new one if it was not there.
  std::uint32_t number_of(std::span<const std::uint32_t> tuple);
  /// Calls `visit(i, number)` for lists 0 .. count-1 in order; `fill(i, words)` appends list i to
  /// `words`. Much faster than one at a time where the table is larger than the caches.
  template <class Fill, class Visit>
  void number_all(std::uint32_t count, Fill&& fill, Visit&& visit);
  /// Number of distinct lists.
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(begin_.size() - 1); }
  /// The list with this number; good until the next number_of().
  [[nodiscard]] std::span<const std::uint32_t> tuple(std::uint32_t number) const {
    return std::span(words_).subspan(begin_[number],
                                     begin_[number + std::size_t{1}] - begin_[number]);
  }

 private:
  static constexpr std::uint32_t kBatch = 32;

  [[nodiscard]] static std::uint64_t hash_of(std::span<const std::uint32_t> tuple);
  std::uint32_t number_of(std::uint64_t hash, std::span<const std::uint32_t> tuple);

  std::vector<std::uint32_t> words_;  // all lists, one after another
  std::vector<std::size_t> begin_;    // by number, into words_; and the end
  HashSlots slots_;                   // numbers by hash_of
};

template <class Fill, class Visit>
void TupleTable::number_all(std::uint32_t count, Fill&& fill, Visit&& visit) {
  std::vector<std::uint32_t> words;
  std::array<std::size_t, kBatch + 1> begin{};
  std::array<std::uint64_t, kBatch> hashes;
  const auto list = [&](std::uint32_t k) {
    return std::span<const std::uint32_t>(words).subspan(begin[k], begin[k + 1] - begin[k]);
  };
  for (std::uint64_t first = 0; first < count; first += kBatch) {
    const auto lists = static_cast<std::uint32_t>(std::min<std::uint64_t>(kBatch, count - first));
    slots_.reserve(std::size_t{size()} + lists);
    words.clear();
    for (std::uint32_t k = 0; k < lists; ++k) {
      fill(static_cast<std::uint32_t>(first + k), words);
      begin[k + 1] = words.size();
      hashes[k] = hash_of(list(k));
      slots_.prefetch(hashes[k]);
    }
    for (std::uint32_t k = 0; k < lists; ++k) {
      visit(static_cast<std::uint32_t>(first + k), number_of(hashes[k], list(k)));
    }
  }
}

}  // namespace vecc::opt
