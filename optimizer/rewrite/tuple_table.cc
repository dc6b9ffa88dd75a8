#include "optimizer/rewrite/tuple_table.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace vecc {
namespace {

constexpr std::uint64_t kEmpty = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kUpperHalf = 0xFFFFFFFF00000000ull;
constexpr std::size_t kFewestSlots = 64;

std::uint64_t hash_of(std::span<const std::uint32_t> tuple) {
  std::uint64_t hash = 0x9E3779B97F4A7C15ull ^ tuple.size();
  for (const std::uint32_t word : tuple) {
    hash = (hash ^ word) * 0xD6E8FEB86659FD93ull;
    hash ^= hash >> 32;
  }
  return hash;
}

std::uint32_t number_in(std::uint64_t slot) {
  return static_cast<std::uint32_t>(slot);
}

}  // namespace

TupleTable::TupleTable(std::size_t expected)
    : begin_{0}, slots_(std::max(kFewestSlots, std::bit_ceil(2 * expected)), kEmpty) {
  begin_.reserve(expected + 1);
}

std::size_t TupleTable::find(std::uint64_t hash, std::span<const std::uint32_t> tuple) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot] != kEmpty; slot = (slot + 1) & mask) {
    const bool may_be = ((slots_[slot] ^ hash) & kUpperHalf) == 0;
    if (may_be && std::ranges::equal(this->tuple(number_in(slots_[slot])), tuple)) break;
  }
  return slot;
}

std::uint32_t TupleTable::number_of(std::span<const std::uint32_t> tuple) {
  if (std::size_t{size()} * 2 >= slots_.size()) grow();
  const std::uint64_t hash = hash_of(tuple);
  std::uint64_t& slot = slots_[find(hash, tuple)];
  if (slot != kEmpty) return number_in(slot);
  slot = (hash & kUpperHalf) | size();
  words_.insert(words_.end(), tuple.begin(), tuple.end());
  begin_.push_back(words_.size());
  return number_in(slot);
}

void TupleTable::grow() {
  slots_.assign(slots_.size() * 2, kEmpty);
  for (std::uint32_t number = 0; number < size(); ++number) {
    const std::uint64_t hash = hash_of(tuple(number));
    slots_[find(hash, tuple(number))] = (hash & kUpperHalf) | number;
  }
}

}  // namespace vecc
