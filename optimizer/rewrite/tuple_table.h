// Numbers for lists of numbers: equal lists get the same one.
#pragma once

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
  /// Number of distinct lists.
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(begin_.size() - 1); }
  /// The list with this number; good until the next number_of().
  [[nodiscard]] std::span<const std::uint32_t> tuple(std::uint32_t number) const {
    return std::span(words_).subspan(begin_[number],
                                     begin_[number + std::size_t{1}] - begin_[number]);
  }

 private:
  [[nodiscard]] static std::uint64_t hash_of(std::span<const std::uint32_t> tuple);

  std::vector<std::uint32_t> words_;  // all lists, one after another
  std::vector<std::size_t> begin_;    // by number, into words_; and the end
  HashSlots slots_;                   // numbers by hash_of
};

}  // namespace vecc::opt
