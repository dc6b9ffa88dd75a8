#include "optimizer/rewrite/shared_hashes.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "src/program/index_algebra.h"
#include "src/support/list_threads.h"
#include "src/support/long_list.h"
#include "src/support/prefetch.h"

namespace vecc::opt {
namespace {

// A bit for each of 16 places a hash: whether one has that place, and whether several have.
class Places {
 public:
  explicit Places(std::uint32_t count)
      : bits_(std::bit_width(std::max<std::uint64_t>(std::uint64_t{count} * 16, 64) - 1)),
        one_(long_list<std::uint64_t>(std::size_t{1} << (bits_ - kWordBits))),
        several_(long_list<std::uint64_t>(one_.size())) {}

  void prefetch(std::uint64_t hash) const { prefetch_to_write(&one_[word_of(hash)]); }
  void prefetch_several(std::uint64_t hash) const { prefetch_memory(&several_[word_of(hash)]); }
  // By several threads at once.
  void add(std::uint64_t hash) {
    const std::uint64_t bit = bit_of(hash);
    const std::uint64_t was =
        std::atomic_ref(one_[word_of(hash)]).fetch_or(bit, std::memory_order_relaxed);
    if ((was & bit) == 0) return;
    const std::atomic_ref several(several_[word_of(hash)]);
    if ((several.load(std::memory_order_relaxed) & bit) == 0) {
      several.fetch_or(bit, std::memory_order_relaxed);
    }
  }
  [[nodiscard]] bool several_at(std::uint64_t hash) const {
    return (several_[word_of(hash)] & bit_of(hash)) != 0;
  }

 private:
  static constexpr int kWordBits = 6;

  [[nodiscard]] std::uint64_t place_of(std::uint64_t hash) const { return hash >> (64 - bits_); }
  [[nodiscard]] std::size_t word_of(std::uint64_t hash) const {
    return place_of(hash) >> kWordBits;
  }
  [[nodiscard]] std::uint64_t bit_of(std::uint64_t hash) const {
    return std::uint64_t{1} << (place_of(hash) & 63);
  }

  int bits_;
  std::vector<std::uint64_t> one_;
  std::vector<std::uint64_t> several_;
};

}  // namespace

std::vector<std::uint32_t> perhaps_shared(const UnsetArray<std::uint64_t>& hashes,
                                          std::span<const std::uint32_t> first) {
  constexpr std::size_t kAhead = 32;  // places lie anywhere: as many are fetched at once
  const auto count = static_cast<std::uint32_t>(first.size());
  Places places(count);
  ListThreads::for_ranges(count, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < std::min(end, begin + kAhead); ++i) places.prefetch(hashes[i]);
    for (std::size_t i = begin; i < end; ++i) {
      if (i + kAhead < end) places.prefetch(hashes[i + kAhead]);
      if (first[i] == i) places.add(hashes[i]);
    }
  });
  return few_entries_where(count, [&](std::uint32_t i) {
    if (i + kAhead < count) places.prefetch_several(hashes[i + kAhead]);
    return first[i] == i && places.several_at(hashes[i]);
  });
}

}  // namespace vecc::opt
