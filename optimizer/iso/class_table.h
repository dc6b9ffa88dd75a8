// Distinct fingerprints of one width, numbered: the classes of rows.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "optimizer/iso/residues.h"
#include "optimizer/rewrite/hash_slots.h"
#include "src/support/thread_team.h"

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
  /// See RowFingerprint.
  [[nodiscard]] bool doubtful(std::uint32_t id) const { return doubtful_[id]; }

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
  /// The same, with fingerprints made by a team, `fills[t]` on thread t (of one: by the caller).
  template <class Fill, class Visit>
  void insert_all(ThreadTeam& team, std::vector<Fill>& fills, std::uint32_t count, Visit&& visit);

  /// The number of classes that were inserted since the last call and meet an earlier one in one of
  /// the two fields alone. They are different: that they meet is chance (none is to be expected) or
  /// a count that one of the primes divides.
  [[nodiscard]] std::uint64_t take_meetings();

 private:
  static constexpr std::uint32_t kBlock = 1 << 14;
  static constexpr std::uint32_t kBatch = 32;
  static constexpr std::size_t kPartsOfThread = 1 << 14;  // of its fingerprints at a time

  [[nodiscard]] static std::uint64_t hash_of(std::span<const Residues> parts,
                                             std::uint64_t Residues::*field);
  void index_appended(std::size_t room);
  std::uint32_t insert(std::uint64_t hash, std::span<const Residues> fingerprint, bool doubtful);

  std::size_t parts_;
  std::uint32_t size_ = 0;
  std::vector<std::vector<Residues>> blocks_;  // of kBlock classes: growing moves one of them
  std::vector<bool> doubtful_;
  std::uint32_t indexed_ = 0;   // classes below are in first_
  HashSlots first_;             // by their residues in the first field
  std::uint32_t compared_ = 0;  // classes below are in second_
  HashSlots second_;            // by their residues in the second field
  std::uint64_t meetings_ = 0;  // in the first field
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

template <class Fill, class Visit>
void ClassTable::insert_all(ThreadTeam& team, std::vector<Fill>& fills, std::uint32_t count,
                            Visit&& visit) {
  if (team.size() == 1) return insert_all(count, fills[0], visit);
  const auto of_thread = static_cast<std::uint32_t>(kPartsOfThread / parts_ + 1);
  const std::size_t most = std::min<std::size_t>(std::size_t{of_thread} * team.size(), count);
  std::vector<Residues> fingerprints(most * parts_);
  std::vector<std::uint64_t> hashes(most);
  std::vector<std::uint8_t> doubtful(most);
  const auto fingerprint = [&](std::size_t k) {
    return std::span(fingerprints).subspan(k * parts_, parts_);
  };
  for (std::uint64_t begin = 0; begin < count; begin += most) {
    const auto first = static_cast<std::uint32_t>(begin);
    const auto rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, count - begin));
    team.run_each([&](std::uint32_t thread) {
      const std::uint32_t end = std::min(rows, (thread + 1) * of_thread);
      for (std::uint32_t k = thread * of_thread; k < end; ++k) {
        doubtful[k] = fills[thread](first + k, fingerprint(k));
        hashes[k] = hash_of(fingerprint(k), &Residues::first);
      }
    });
    index_appended(rows);
    for (std::uint32_t k = 0; k < rows; ++k) {
      if (k + kBatch < rows) first_.prefetch(hashes[k + kBatch]);
      visit(first + k, insert(hashes[k], fingerprint(k), doubtful[k] != 0));
    }
  }
}

}  // namespace vecc::opt::iso
