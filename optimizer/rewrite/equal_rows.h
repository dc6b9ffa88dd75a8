// The first of equal rows, by row. Rows are dealt by a hash to parts whose tables fit a core's
// cache, and parts to threads (ListThreads): one table of all rows misses every cache at each row,
// and is one thread's. Rows that are equal to one that its thread has just met are not dealt: all
// rows of a hash are in one part, so a few of which there are millions would be one thread's work.
// Where most rows are different, those whose hash no other has are found first, by a few bits each,
// and are not dealt either. Linear; the same for any number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "optimizer/rewrite/shared_hashes.h"
#include "optimizer/rewrite/unset_array.h"
#include "src/support/list_threads.h"
#include "src/support/long_list.h"

namespace vecc::opt {

/// All bits of the result depend on all of both numbers; no two pairs have the same.
[[nodiscard]] inline std::uint64_t hash_of_pair(std::uint32_t left, std::uint32_t right) {
  std::uint64_t key = std::uint64_t{left} << 32 | right;
  key = (key ^ key >> 32) * 0xD6E8FEB86659FD93ull;
  key = (key ^ key >> 32) * 0x9E3779B97F4A7C15ull;
  return key ^ key >> 32;
}

/// Whether each number is larger than the one before it, so that no two are equal.
template <class Numbers>
[[nodiscard]] bool is_ascending(const Numbers& numbers, std::uint32_t count) {
  constexpr std::uint32_t kFew = 64;  // most that are not are found out at once
  const auto ascends = [&](std::size_t i) {
    const auto next = static_cast<std::uint32_t>(i) + 1;
    return numbers[next - 1] < numbers[next];
  };
  const std::size_t steps = count - std::min(count, 1u);
  for (std::size_t i = 0; i < std::min<std::size_t>(steps, kFew); ++i) {
    if (!ascends(i)) return false;
  }
  return holds_for_all(steps, ascends);
}

class EqualRows {
 public:
  /// By row 0 .. count-1: the first row that is equal to it, itself if there is none before it.
  /// `hash(row)` is the same for equal rows, and mixed: its upper bits choose a place.
  /// `equal(a, b)` is asked of rows that have one hash. Each thread has copies of both.
  template <class Hash, class Equal>
  [[nodiscard]] static std::vector<std::uint32_t> find(std::uint32_t count, const Hash& hash,
                                                       const Equal& equal);
  /// The same of pairs of numbers (left(row), right(row)).
  template <class Left, class Right>
  [[nodiscard]] static std::vector<std::uint32_t> find_pairs(std::uint32_t count, const Left& left,
                                                             const Right& right) {
    return find(
        count, [&](std::uint32_t row) { return hash_of_pair(left(row), right(row)); },
        [](std::uint32_t, std::uint32_t) { return true; });
  }
  /// The same of lists of `width` numbers word(row, 0), word(row, 1), ...
  template <class Word>
  [[nodiscard]] static std::vector<std::uint32_t> find_words(std::uint32_t count, std::size_t width,
                                                             const Word& word) {
    const auto hash = [&](std::uint32_t row) {
      std::uint64_t result = 0;
      for (std::size_t k = 0; k < width; ++k) {
        result += hash_of_pair(static_cast<std::uint32_t>(result >> 32), word(row, k));
      }
      return result * 0x9E3779B97F4A7C15ull;
    };
    const auto equal = [&](std::uint32_t a, std::uint32_t b) {
      std::size_t k = 0;
      while (k < width && word(a, k) == word(b, k)) ++k;
      return k == width;
    };
    return find(count, hash, equal);
  }

 private:
  static constexpr std::uint32_t kRowsOfPart = 1 << 14;  // 192 KB of entries
  static constexpr std::uint32_t kMostParts = 1 << 10;   // pages written at once
  static constexpr std::uint32_t kManyRows = 1 << 16;    // that may be worth a sample
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  // 12 bytes, not zeroed: there is one for each row.
  struct Entry {
    std::uint32_t low;
    std::uint32_t high;
    std::uint32_t row;

    void set(std::uint64_t hash, std::uint32_t of_row) {
      low = static_cast<std::uint32_t>(hash);
      high = static_cast<std::uint32_t>(hash >> 32);
      row = of_row;
    }
    [[nodiscard]] std::uint64_t hash() const { return std::uint64_t{high} << 32 | low; }
  };

  // What a thread met last, by hash: 32 KB, a core's first cache.
  class RecentRows {
   public:
    explicit RecentRows(std::uint32_t rows)
        : slots_(std::bit_ceil(std::clamp(rows, 2u, 1u << 11)), Slot{0, kNone}),
          shift_(64 - std::countr_zero(slots_.size())) {}
    // A row that was met before and is equal, itself if there is none.
    template <class Equal>
    [[nodiscard]] std::uint32_t meet(std::uint64_t hash, std::uint32_t row, Equal& equal) {
      Slot& slot = slots_[hash >> shift_];
      if (slot.row == kNone || slot.hash != hash || !equal(slot.row, row)) slot = {hash, row};
      return slot.row;
    }

   private:
    struct Slot {
      std::uint64_t hash;
      std::uint32_t row;
    };
    std::vector<Slot> slots_;
    int shift_;
  };

  // Finds the first of equal rows of one part; its table is used again for the next one.
  class Part {
   public:
    // Entries ascend by row, and have the same upper `part_bits` of their hashes.
    template <class Equal>
    void find(std::span<const Entry> entries, int part_bits, Equal& equal,
              std::vector<std::uint32_t>& first) {
      part_bits_ = part_bits;
      resize(std::bit_ceil(std::min<std::size_t>(2 * entries.size(), kFirstSlots)));
      std::uint32_t found = 0;
      for (std::uint32_t e = 0; e < entries.size(); ++e) {
        if (2 * std::size_t{found} >= slots_.size()) grow(entries);
        std::uint32_t& slot = slot_of(entries, entries[e], equal);
        if (slot == kNone) {
          slot = e;
          ++found;
        }
        first[entries[e].row] = entries[slot].row;
      }
    }

   private:
    static constexpr std::size_t kFirstSlots = 1 << 12;  // most parts may have few different rows

    void resize(std::size_t size) {
      slots_.assign(size, kNone);
      shift_ = 64 - std::countr_zero(size);
    }
    [[nodiscard]] std::size_t home_of(std::uint64_t hash) const {
      return shift_ == 64 ? 0 : hash << part_bits_ >> shift_;
    }
    template <class Equal>
    std::uint32_t& slot_of(std::span<const Entry> entries, const Entry& entry, Equal& equal) {
      const std::size_t mask = slots_.size() - 1;
      std::size_t at = home_of(entry.hash());
      for (; slots_[at] != kNone; at = (at + 1) & mask) {
        const Entry& other = entries[slots_[at]];
        if (other.low == entry.low && other.high == entry.high && equal(other.row, entry.row)) {
          break;
        }
      }
      return slots_[at];
    }
    void grow(std::span<const Entry> entries) {
      std::vector<std::uint32_t> old = std::move(slots_);
      resize(2 * old.size());
      const auto never = [](std::uint32_t, std::uint32_t) { return false; };
      for (const std::uint32_t e : old) {
        if (e != kNone) slot_of(entries, entries[e], never) = e;
      }
    }

    std::vector<std::uint32_t> slots_;
    int shift_ = 0;
    int part_bits_ = 0;
  };

  // All entries, part after part, and where each part begins.
  struct Dealt {
    UnsetArray<Entry> entries;
    std::vector<std::uint32_t> begin;
    int part_bits = 0;
  };
  // Of the `kept` rows that are first[row] themselves; where they are mostly different, not of
  // those that have a hash alone.
  [[nodiscard]] static Dealt deal(const std::vector<std::uint32_t>& first, std::uint32_t kept,
                                  UnsetArray<std::uint64_t> hashes, bool mostly_different);
  template <class ForEachRow>
  [[nodiscard]] static Dealt deal_rows(std::uint32_t count, std::uint32_t dealt_rows,
                                       const UnsetArray<std::uint64_t>& hashes,
                                       const ForEachRow& for_each_row);
  // Where a sample of all hashes that are there says so.
  [[nodiscard]] static bool are_mostly_different(std::vector<std::vector<std::uint64_t>> samples);
  // Of a sample's hashes this many upper bits are 0: some thousands of long lists.
  [[nodiscard]] static int sample_bits(std::uint32_t count) {
    return std::max(static_cast<int>(std::bit_width(count)) - 13, 0);
  }
};

template <class Hash, class Equal>
std::vector<std::uint32_t> EqualRows::find(std::uint32_t count, const Hash& hash,
                                           const Equal& equal) {
  UnsetArray<std::uint64_t> hashes(count);
  std::vector<std::uint32_t> first = unset_list<std::uint32_t>(count);
  std::atomic<std::uint32_t> kept{0};
  std::vector<std::vector<std::uint64_t>> samples(ListThreads::ranges_of(count));
  const std::uint64_t sampled = ~std::uint64_t{0} >> sample_bits(count);
  ListThreads::for_numbered_ranges(
      count, [&](std::size_t range, std::size_t begin, std::size_t end) {
        Hash own = hash;
        Equal own_equal = equal;
        RecentRows recent(static_cast<std::uint32_t>(end - begin));
        std::uint32_t found = 0;
        for (auto row = static_cast<std::uint32_t>(begin); row < end; ++row) {
          hashes[row] = own(row);
          first[row] = recent.meet(hashes[row], row, own_equal);
          if (first[row] != row) continue;
          ++found;
          if (count >= kManyRows && hashes[row] <= sampled) samples[range].push_back(hashes[row]);
        }
        kept += found;
      });
  const Dealt dealt =
      deal(first, kept, std::move(hashes), are_mostly_different(std::move(samples)));
  const auto parts = static_cast<std::uint32_t>(dealt.begin.size() - 1);
  std::atomic<std::uint32_t> next{0};
  const std::size_t finders = std::min<std::size_t>(parts, ListThreads::ranges_of(count));
  ListThreads::for_pieces(finders, [&](std::size_t) {
    Part part;
    Equal own = equal;
    for (std::uint32_t p = next++; p < parts; p = next++) {
      const std::uint32_t begin = dealt.begin[p];
      part.find(dealt.entries.part(begin, dealt.begin[p + 1] - begin), dealt.part_bits, own, first);
    }
  });
  if (kept == count) return first;
  // Of a row that was dealt, first[] is a row whose first[] is itself: only rows that were not
  // dealt are written, and none of those is read by another.
  ListThreads::for_ranges(count, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const std::uint32_t of_met = first[first[row]];
      if (of_met != first[row]) first[row] = of_met;
    }
  });
  return first;
}

}  // namespace vecc::opt
