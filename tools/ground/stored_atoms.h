// The atoms of a predicate as SQL reads them: those of earlier strata and rounds, by hash indexes.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "tools/ground/atom_table.h"
#include "tools/ground/row_hash.h"

namespace vecc::tools::ground {

/// The atoms whose words at some columns (0: the example, 1: the first argument) are the same, as
/// rings in ascending order.
class ColumnIndex {
 public:
  explicit ColumnIndex(std::vector<std::uint32_t> columns) : columns_(std::move(columns)) {}

  [[nodiscard]] const std::vector<std::uint32_t>& columns() const { return columns_; }
  /// Adds the atoms up to `size`.
  void extend(const AtomTable& atoms, AtomIndex size);
  /// The last atom with these words, whose next() is the first; RowHash::kNone: there is none.
  [[nodiscard]] AtomIndex last(const AtomTable& atoms, std::span<const std::uint32_t> words) const;
  [[nodiscard]] AtomIndex next(AtomIndex atom) const { return next_[atom]; }
  /// next() of it comes soon.
  void prefetch(AtomIndex atom) const { __builtin_prefetch(&next_[atom]); }

 private:
  [[nodiscard]] bool has(const AtomTable& atoms, AtomIndex atom,
                         std::span<const std::uint32_t> words) const;

  std::vector<std::uint32_t> columns_;
  RowHash last_;
  std::vector<AtomIndex> next_;  // by atom
};

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
  void publish() { size_ = atoms_->size(); }
  /// The number of the index of these columns, which is made if there is none.
  [[nodiscard]] std::size_t index_of(std::span<const std::uint32_t> columns);
  /// The atom of a whole row, which needs no index; AtomTable::kNotAnAtom: SQL sees none.
  [[nodiscard]] AtomIndex find(std::span<const std::uint32_t> row) const {
    const AtomIndex atom = atoms_->find(row);
    return atom < size_ ? atom : AtomTable::kNotAnAtom;
  }
  /// It has all atoms that SQL sees.
  [[nodiscard]] const ColumnIndex& index(std::size_t number);

 private:
  const AtomTable* atoms_;
  std::uint32_t arity_;
  bool has_one_example_;
  AtomIndex size_ = 0;
  std::deque<ColumnIndex> indexes_;
};

}  // namespace vecc::tools::ground
