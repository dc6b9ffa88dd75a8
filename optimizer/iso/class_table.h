// Distinct fingerprints of one width, numbered: the classes of rows.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "optimizer/iso/residues.h"
#include "optimizer/rewrite/equal_rows.h"
#include "optimizer/rewrite/hash_slots.h"
#include "optimizer/rewrite/unset_array.h"
#include "src/program/index_algebra.h"
#include "src/support/list_threads.h"
#include "src/support/mark_once.h"
#include "src/support/prefetch.h"

namespace vecc::opt::iso {

class ClassTable {
 public:
  /// Fingerprints of `parts` residues each, at least one.
  explicit ClassTable(std::size_t parts) : parts_(parts) {}

  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::size_t part_count() const { return parts_; }
  /// Valid until the next append or insert.
  [[nodiscard]] std::span<const Residues> parts(std::uint32_t id) const {
    return std::span(blocks_[id / kBlock]).subspan(id % kBlock * parts_, parts_);
  }
  /// How many reads ahead it pays to ask for one.
  static constexpr std::uint32_t kAhead = 16;
  /// For one that is to be read soon: most are in no cache where there are millions.
  void prefetch(std::uint32_t id) const {
    prefetch_memory(&blocks_[id / kBlock][id % kBlock * parts_]);
    if (any_doubtful_ != 0) prefetch_memory(&doubtful_[id]);
  }
  /// See RowFingerprint.
  [[nodiscard]] bool doubtful(std::uint32_t id) const {
    return any_doubtful_ != 0 && doubtful_[id] != 0;
  }

  /// A fingerprint that is known to be new (by identity).
  std::uint32_t append(std::span<const Residues> fingerprint, bool doubtful = false);
  /// The class of a fingerprint: the one that has the same residues in both fields. It is as
  /// doubtful as the first row of it.
  std::uint32_t insert(std::span<const Residues> fingerprint, bool doubtful = false);
  /// Inserts fingerprints 0 .. count-1 in order: `fill(i, fingerprint)` makes one and returns
  /// whether it is doubtful, `visit(i, class)` is told its class. Much faster than one at a time
  /// where the table is larger than the caches.
  template <class Fill, class Visit>
  void insert_all(std::uint32_t count, Fill&& fill, Visit&& visit);
  /// The same by threads (ListThreads), if there are many: each has a copy of `fill`, and calls
  /// `visit`, in no order.
  template <class Fill, class Visit>
  void insert_all_by_threads(std::uint32_t count, const Fill& fill, const Visit& visit);
  /// Appends fingerprints that are known to be new, by threads, if there are many: `fill(i,
  /// parts)` writes number i and returns whether it is doubtful; each thread has its own copy of
  /// it. Returns the class of the first one. (They are compared with nothing: a meeting of two in
  /// the first field is not counted.)
  template <class Fill>
  std::uint32_t append_all(std::uint32_t count, const Fill& fill);

  /// The number of classes that were inserted since the last call and meet an earlier one in the
  /// first field alone. They are different: that they meet is chance (none is to be expected) or a
  /// count that the prime divides.
  [[nodiscard]] std::uint64_t take_meetings() { return std::exchange(meetings_, 0); }

 private:
  static constexpr std::uint32_t kBlock = 1 << 14;
  static constexpr std::uint32_t kBatch = 32;
  static constexpr std::uint64_t kManyParts = 1 << 16;  // of which threads make fingerprints
  // Known classes to be looked at for each new row: of those that can be found, and of others,
  // which are looked at some times before they are made findable.
  static constexpr std::uint32_t kMostKnown = 32;
  static constexpr std::uint32_t kMostUnfindable = 256;
  static constexpr std::uint32_t kMostLooks = 4;

  [[nodiscard]] static std::uint64_t hash_of(std::span<const Residues> parts,
                                             std::uint64_t Residues::*field);
  [[nodiscard]] static bool equal_in(std::span<const Residues> a, std::span<const Residues> b,
                                     std::uint64_t Residues::*field);
  /// Classes that are to be written.
  void add_places(std::uint32_t count);
  [[nodiscard]] std::span<Residues> place_of(std::uint32_t id) {
    return std::span(blocks_[id / kBlock]).subspan(id % kBlock * parts_, parts_);
  }
  /// Of a class that has a place. By several threads at once.
  void set_doubtful(std::uint32_t id, bool doubtful) {
    doubtful_[id] = doubtful ? 1 : 0;
    if (doubtful) mark_once(any_doubtful_);
  }
  /// Classes begin + fresh[0], begin + fresh[1], ... become begin, begin + 1, ...; others from
  /// `begin` on go.
  void keep_places(std::uint32_t begin, std::span<const std::uint32_t> fresh);
  void index_appended(std::size_t room);
  /// insert_all() of few, for which all threads look through the classes that there are.
  template <class Fill, class Visit>
  void insert_few(std::uint32_t count, const Fill& fill, const Visit& visit);
  /// By class of `others`, which all are findable: the class here, which is made where there is
  /// none.
  [[nodiscard]] std::vector<std::uint32_t> merge(const ClassTable& others);
  std::uint32_t insert(std::uint64_t hash, std::span<const Residues> fingerprint, bool doubtful);

  std::size_t parts_;
  std::uint32_t size_ = 0;
  std::vector<std::vector<Residues>> blocks_;  // of kBlock classes: growing moves one of them
  std::vector<std::uint8_t> doubtful_;         // not packed: threads write it
  std::uint8_t any_doubtful_ = 0;              // seldom 1: else none is read
  // Tables for rows that come one at a time, or few at once; many are told apart without them.
  std::uint32_t indexed_ = 0;   // classes below are in first_
  HashSlots first_;             // by their residues in the first field
  std::uint32_t looks_ = 0;     // through all classes
  std::uint32_t met_ = 0;       // classes below were compared with earlier ones in the first field
  std::uint64_t meetings_ = 0;  // not taken yet
};

template <class Fill, class Visit>
void ClassTable::insert_all(std::uint32_t count, Fill&& fill, Visit&& visit) {
  std::vector<Residues> fingerprints(std::min(kBatch, count) * parts_);
  std::array<std::uint64_t, kBatch> hashes;
  std::array<bool, kBatch> doubtful;
  const auto fingerprint = [&](std::size_t k) {
    return std::span(fingerprints).subspan(k * parts_, parts_);
  };
  for (std::uint64_t begin = 0; begin < count; begin += kBatch) {
    const auto first = static_cast<std::uint32_t>(begin);
    const std::uint32_t rows = std::min(kBatch, count - first);
    index_appended(rows);
    for (std::uint32_t k = 0; k < rows; ++k) {
      doubtful[k] = fill(first + k, fingerprint(k));
      hashes[k] = hash_of(fingerprint(k), &Residues::first);
      first_.prefetch(hashes[k]);
    }
    for (std::uint32_t k = 0; k < rows; ++k) {
      visit(first + k, insert(hashes[k], fingerprint(k), doubtful[k]));
    }
  }
}

template <class Fill>
std::uint32_t ClassTable::append_all(std::uint32_t count, const Fill& fill) {
  const std::uint32_t begin = size_;
  add_places(count);
  ListThreads::for_ranges(count, [&](std::size_t from, std::size_t to) {
    auto append = [this, begin, own = fill](std::uint32_t i) mutable {
      set_doubtful(begin + i, own(i, place_of(begin + i)));
    };
    for (auto i = static_cast<std::uint32_t>(from); i < to; ++i) append(i);
  });
  return begin;
}

template <class Fill, class Visit>
void ClassTable::insert_few(std::uint32_t count, const Fill& fill, const Visit& visit) {
  ++looks_;
  ClassTable fresh(parts_);
  std::vector<std::uint32_t> row_class(count);
  fresh.insert_all(count, Fill(fill),
                   [&](std::uint32_t i, std::uint32_t number) { row_class[i] = number; });
  const std::vector<std::uint32_t> merged = merge(fresh);
  for (std::uint32_t i = 0; i < count; ++i) visit(i, merged[row_class[i]]);
}

template <class Fill, class Visit>
void ClassTable::insert_all_by_threads(std::uint32_t count, const Fill& fill, const Visit& visit) {
  // To make known classes findable is one thread's work, but done once.
  const std::uint32_t unfindable = size_ - indexed_;
  const bool are_few = (std::uint64_t{count} + unfindable) * parts_ < kManyParts;
  const bool may_look = !are_few && count > 0 && unfindable > count && looks_ < kMostLooks;
  if (may_look && count < size_ / kMostUnfindable) return insert_few(count, fill, visit);
  if (are_few || (!may_look && count < size_ / kMostKnown)) {
    Fill own = fill;
    return insert_all(count, own, visit);
  }
  ++looks_;
  // Rows 0 .. known-1 are the classes that there are; then the new ones, which are made where
  // classes lie, as there is no room for two copies of millions. Those that are no classes go.
  const std::uint32_t known = size_;
  add_places(count);
  std::mutex lock;
  std::set<std::uint32_t> meet;  // rows that are equal to another in the first field alone
  std::vector<std::uint32_t> row_class = EqualRows::find(
      known + count,
      [&, own = fill](std::uint32_t row) mutable {
        if (row >= known) set_doubtful(row, own(row - known, place_of(row)));
        return hash_of(parts(row), &Residues::first);
      },
      [&](std::uint32_t a, std::uint32_t b) {
        if (!equal_in(parts(a), parts(b), &Residues::first)) return false;
        if (equal_in(parts(a), parts(b), &Residues::second)) return true;
        const std::lock_guard guard(lock);
        meet.insert(b);
        return false;
      });
  for (const std::uint32_t row : meet) {
    if (row >= met_ && row_class[row] == row) ++meetings_;
  }
  const std::vector<std::uint32_t> fresh =
      entries_where(count, [&](std::uint32_t i) { return row_class[known + i] == known + i; });
  keep_places(known, fresh);
  UnsetArray<std::uint32_t> number(count);  // by new row that is the first of its class
  ListThreads::for_ranges(fresh.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      number[fresh[n]] = known + static_cast<std::uint32_t>(n);
    }
  });
  ListThreads::for_ranges(count, [&](std::size_t begin, std::size_t end) {
    for (auto i = static_cast<std::uint32_t>(begin); i < end; ++i) {
      const std::uint32_t first = row_class[known + i];
      visit(i, first < known ? first : number[first - known]);
    }
  });
  met_ = size_;
}

}  // namespace vecc::opt::iso
