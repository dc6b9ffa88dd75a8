// The atoms of one predicate: facts, and what rules derive. Atom i is row i; examples share no
// atom.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "src/support/prefetch.h"
#include "tools/ground/constant_table.h"
#include "tools/ground/row_hash.h"

namespace vecc::tools::ground {

using AtomIndex = std::uint32_t;
/// Of FactValues.
using FactIndex = std::uint32_t;
/// Of an atom that is no fact.
inline constexpr FactIndex kNotAFact = std::numeric_limits<FactIndex>::max();
inline constexpr FactIndex kUnvalued = 0;

class AtomTable {
 public:
  explicit AtomTable(std::uint32_t arity) : width_(arity + 1) {}

  /// `row`: the example, then the arguments. The atom's index, and whether it is new.
  std::pair<AtomIndex, bool> add(std::span<const std::uint32_t> row) {
    index_rows();
    std::uint32_t& place = place_of(row);
    if (place != RowHash::kNone) return {place, false};
    place = append(row);
    ++indexed_;
    return {place, true};
  }
  /// The same of a row that is not there, which the caller knows. Nothing is hashed before an
  /// atom is looked up by its row, which atoms of most predicates of facts never are.
  AtomIndex append(std::span<const std::uint32_t> row) {
    has_other_examples_ |= row[0] != 0;
    rows_.insert(rows_.end(), row.begin(), row.end());
    facts_.push_back(kNotAFact);
    return static_cast<AtomIndex>(facts_.size() - 1);
  }
  /// kNotAnAtom if it is not there.
  [[nodiscard]] AtomIndex find(std::span<const std::uint32_t> row) const {
    index_rows();
    if (is_hash(row)) return known_.find(row[1], [](AtomIndex) { return true; });
    return known_.find(hash_of(row), [&](AtomIndex atom) { return is_row(atom, row); });
  }
  /// Afterwards find() changes nothing, until atoms are added. Of equal rows the first one counts.
  void index_rows() const {
    for (; indexed_ < facts_.size(); ++indexed_) {
      std::uint32_t& place = place_of(row(indexed_));
      if (place == RowHash::kNone) place = indexed_;
    }
  }
  /// row() of it is read soon.
  void prefetch(AtomIndex atom) const {
    prefetch_memory(rows_.data() + std::size_t{atom} * width_);
  }
  /// add() of this row comes soon.
  void prefetch(std::span<const std::uint32_t> row) const { known_.prefetch(hash_of(row)); }
  /// The same after prefetch(row): the atom that has the row, probably, comes.
  void prefetch_known(std::span<const std::uint32_t> row) const {
    if (is_hash(row)) return;
    const AtomIndex atom = known_.first(hash_of(row));
    if (atom != RowHash::kNone) prefetch(atom);
  }
  static constexpr AtomIndex kNotAnAtom = RowHash::kNone;

  [[nodiscard]] AtomIndex size() const { return static_cast<AtomIndex>(facts_.size()); }
  [[nodiscard]] std::span<const std::uint32_t> row(AtomIndex atom) const {
    return std::span(rows_).subspan(std::size_t{atom} * width_, width_);
  }
  [[nodiscard]] std::span<const Constant> arguments(AtomIndex atom) const {
    return row(atom).subspan(1);
  }
  [[nodiscard]] FactIndex fact(AtomIndex atom) const { return facts_[atom]; }
  void set_fact(AtomIndex atom, FactIndex fact) { facts_[atom] = fact; }

 private:
  // The first example is often the only one: its atoms of one argument are hashed by it alone.
  static std::uint32_t hash_of(std::span<const std::uint32_t> row) {
    return hash_words(row.size() == 2 && row[0] == 0 ? row.subspan(1) : row);
  }
  // Whether the hash is all there is of the row: nothing has to be compared.
  [[nodiscard]] bool is_hash(std::span<const std::uint32_t> row) const {
    return row.size() == 2 && row[0] == 0 && !has_other_examples_;
  }
  [[nodiscard]] bool is_row(AtomIndex atom, std::span<const std::uint32_t> row) const {
    const std::uint32_t* const words = rows_.data() + std::size_t{atom} * width_;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (words[i] != row[i]) return false;
    }
    return true;
  }
  std::uint32_t& place_of(std::span<const std::uint32_t> row) const {
    if (is_hash(row)) return known_.place(row[1], [](AtomIndex) { return true; });
    return known_.place(hash_of(row), [&](AtomIndex atom) { return is_row(atom, row); });
  }

  std::uint32_t width_;
  std::vector<std::uint32_t> rows_;
  std::vector<FactIndex> facts_;
  bool has_other_examples_ = false;  // than the first
  mutable AtomIndex indexed_ = 0;    // rows that `known_` has
  mutable RowHash known_;
};

}  // namespace vecc::tools::ground
