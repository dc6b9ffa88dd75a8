#include "src/batch/value_places.h"

#include <algorithm>

namespace vecc {
namespace {

// Numbers: rows begin where a cache line does, and a GPU's pack of numbers.
constexpr std::uint64_t kAlignment = 64;

}  // namespace

ValuePlaces::ValuePlaces(const BatchPlan& plan) : plan_(plan), firsts_(plan.units.size(), 0) {
  for (BufferIndex b = 0; b < plan.made_buffers.size(); ++b) {
    if (plan.made_buffers[b]) by_birth_.push_back(b);
  }
  std::ranges::stable_sort(by_birth_, {}, [&](BufferIndex b) { return plan.lives[b].first; });
  taken_.reserve(by_birth_.size());
}

void ValuePlaces::set(std::span<const std::uint64_t> counts) {
  taken_.clear();
  count_ = 0;
  for (const BufferIndex b : by_birth_) {
    if (counts[b] == 0) continue;
    const auto& life = plan_.lives[b];
    std::erase_if(taken_, [&](const Taken& taken) { return taken.last < life.first; });
    firsts_[b] = take((counts[b] + kAlignment - 1) / kAlignment * kAlignment, life.second);
  }
}

// First fit.
std::uint64_t ValuePlaces::take(std::uint64_t count, std::uint32_t last) {
  std::uint64_t begin = 0;
  auto behind = taken_.begin();
  while (behind != taken_.end() && behind->begin < begin + count) begin = behind++->end;
  taken_.insert(behind, {begin, begin + count, last});
  count_ = std::max(count_, begin + count);
  return begin;
}

}  // namespace vecc
