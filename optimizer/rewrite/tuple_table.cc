#include "optimizer/rewrite/tuple_table.h"

#include <algorithm>

namespace vecc::opt {

std::uint64_t TupleTable::hash_of(std::span<const std::uint32_t> tuple) {
  std::uint64_t hash = 0x9E3779B97F4A7C15ull ^ tuple.size();
  for (const std::uint32_t word : tuple) {
    hash = (hash ^ word) * 0xD6E8FEB86659FD93ull;
    hash ^= hash >> 32;
  }
  return hash * 0x9E3779B97F4A7C15ull;
}

std::uint32_t TupleTable::number_of(std::span<const std::uint32_t> tuple) {
  slots_.reserve(std::size_t{size()} + 1);
  const std::uint64_t hash = hash_of(tuple);
  const std::size_t slot = slots_.find(
      hash, [&](std::uint32_t number) { return std::ranges::equal(this->tuple(number), tuple); });
  if (slots_[slot] != HashSlots::kNone) return slots_[slot];
  const std::uint32_t number = size();
  slots_.set(slot, hash, number);
  words_.insert(words_.end(), tuple.begin(), tuple.end());
  begin_.push_back(words_.size());
  return number;
}

}  // namespace vecc::opt
