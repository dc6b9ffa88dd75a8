// The atoms of a predicate as SQL reads them: those of earlier strata and rounds, by indexes.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <vector>

#include "src/support/prefetch.h"
#include "tools/ground/atom_table.h"
#include "tools/ground/row_hash.h"

namespace vecc::tools::ground {

/// The atoms whose words at some columns (0: the example, 1: the first argument) are the same, in
/// ascending order. Those that are there when the index is first asked for stand behind one
/// another, key by key and with their rows: a walk reads memory as it lies. Those that come later,
/// which a recursion derives, are rings.
class ColumnIndex {
 public:
  explicit ColumnIndex(std::vector<std::uint32_t> columns) : columns_(std::move(columns)) {}

  [[nodiscard]] const std::vector<std::uint32_t>& columns() const { return columns_; }
  /// Adds the atoms up to `size`.
  void extend(const AtomTable& atoms, AtomIndex size);
  /// How many atoms it has.
  [[nodiscard]] AtomIndex size() const { return size_.load(std::memory_order_acquire); }

  static constexpr AtomIndex kNone = RowHash::kNone;
  /// The atoms of one key.
  struct Key {
    std::uint32_t begin = 0;  ///< of places in the sorted part
    std::uint32_t end = 0;
    AtomIndex last = kNone;  ///< of the ring: its next() is the first; kNone: there is none
  };
  [[nodiscard]] Key find(const AtomTable& atoms, std::span<const std::uint32_t> words) const;
  /// Of a place in the sorted part: the atom, then the words of its row. Null where atoms stand in
  /// the order of their keys anyway: the place is the atom.
  [[nodiscard]] const std::uint32_t* entry(std::uint32_t place) const {
    return entries_.empty() ? nullptr : entries_.data() + std::size_t{place} * stride_;
  }
  [[nodiscard]] AtomIndex next(AtomIndex atom) const { return next_[atom - sorted_]; }
  /// next() of it comes soon.
  void prefetch(AtomIndex atom) const { prefetch_memory(&next_[atom - sorted_]); }

 private:
  void sort(const AtomTable& atoms, AtomIndex size);
  [[nodiscard]] std::vector<std::uint32_t> number_keys(const AtomTable& atoms, AtomIndex size);
  void add_to_ring(const AtomTable& atoms, AtomIndex atom, std::span<const std::uint32_t> words);
  void read_words(const AtomTable& atoms, AtomIndex atom, std::span<std::uint32_t> words) const;
  [[nodiscard]] std::uint32_t key_of(const AtomTable& atoms,
                                     std::span<const std::uint32_t> words) const;
  [[nodiscard]] bool has(const AtomTable& atoms, AtomIndex atom,
                         std::span<const std::uint32_t> words) const;

  std::vector<std::uint32_t> columns_;
  std::atomic<AtomIndex> size_ = 0;
  // The sorted part.
  AtomIndex sorted_ = 0;
  bool is_key_word_ = false;          // a key is its only word; else `keys_` numbers them
  RowHash keys_;                      // of numbers in `first_`
  std::vector<AtomIndex> first_;      // by key: its first atom
  std::vector<std::uint32_t> begin_;  // keys + 1: places
  std::vector<std::uint32_t> entries_;
  std::size_t stride_ = 0;
  // The rings.
  RowHash last_;
  std::vector<AtomIndex> next_;  // by atom behind the sorted ones
};

/// Where a reader of a table stands: in a range of ids, at one atom, or in those of a key.
class AtomWalk {
 public:
  explicit AtomWalk(const AtomTable& atoms) : atoms_(&atoms) {}

  void end() { is_done_ = true; }
  void scan(AtomIndex begin, AtomIndex end);
  void look_up(const ColumnIndex& index, std::span<const std::uint32_t> words);

  [[nodiscard]] bool is_done() const { return is_done_; }
  void next() {
    if (place_ != end_) return stand_at_place();
    if (at_ == last_) return end();
    if (index_ == nullptr) {
      ++at_;
    } else {
      stand_in_ring();
    }
  }
  [[nodiscard]] AtomIndex atom() const { return at_; }
  [[nodiscard]] std::uint32_t word(std::size_t column) const {
    return entry_ != nullptr ? entry_[column + 1] : atoms_->row(at_)[column];
  }

 private:
  void stand_at_place() {
    entry_ = index_->entry(place_);
    at_ = entry_ != nullptr ? *entry_ : place_;
    ++place_;
    if (place_ == end_ && last_ == ColumnIndex::kNone) last_ = at_;
  }
  void stand_in_ring();

  const AtomTable* atoms_;
  const ColumnIndex* index_ = nullptr;  // null: a range
  const std::uint32_t* entry_ = nullptr;
  std::uint32_t place_ = 0;  // the next one of the index's sorted part, up to `end_`
  std::uint32_t end_ = 0;
  AtomIndex at_ = 0;
  AtomIndex last_ = 0;  // where the walk ends
  bool is_in_ring_ = false;
  bool is_done_ = true;
};

/// Several threads may read it at once, while nothing is added and published.
class StoredAtoms {
 public:
  StoredAtoms(const AtomTable& atoms, std::uint32_t arity, bool has_one_example)
      : atoms_(&atoms), arity_(arity), has_one_example_(has_one_example) {}

  [[nodiscard]] const AtomTable& atoms() const { return *atoms_; }
  [[nodiscard]] std::uint32_t arity() const { return arity_; }
  [[nodiscard]] bool has_one_example() const { return has_one_example_; }
  /// How many atoms SQL sees.
  [[nodiscard]] AtomIndex size() const { return size_; }
  /// SQL sees all that there are now.
  void publish() {
    size_ = atoms_->size();
    has_all_rows_ = false;
  }
  /// The number of the index of these columns, which is made if there is none.
  [[nodiscard]] std::size_t index_of(std::span<const std::uint32_t> columns);
  /// The atom of a whole row, which needs no index; AtomTable::kNotAnAtom: SQL sees none.
  [[nodiscard]] AtomIndex find(std::span<const std::uint32_t> row) const {
    if (!has_all_rows_.load(std::memory_order_acquire)) index_rows();
    const AtomIndex atom = atoms_->find(row);
    return atom < size_ ? atom : AtomTable::kNotAnAtom;
  }
  /// It has all atoms that SQL sees.
  [[nodiscard]] const ColumnIndex& index(std::size_t number) {
    ColumnIndex& index = indexes_[number];
    if (index.size() < size_) extend(index);
    return index;
  }

 private:
  void index_rows() const;
  void extend(ColumnIndex& index);

  const AtomTable* atoms_;
  std::uint32_t arity_;
  bool has_one_example_;
  AtomIndex size_ = 0;
  std::deque<ColumnIndex> indexes_;
  mutable std::mutex growing_;
  mutable std::atomic<bool> has_all_rows_ = false;  // find() changes nothing
};

/// By predicate; they stay where they are.
using StoredTables = std::deque<StoredAtoms>;

}  // namespace vecc::tools::ground
