// The atoms of one predicate: facts, and what rules derive. Atom i is row i; examples share no
// atom.
#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tools/ground/constant_table.h"

namespace vecc::tools::ground {

using AtomIndex = std::uint32_t;
/// Of FactValues.
using FactIndex = std::uint32_t;
/// Of an atom that is no fact.
inline constexpr FactIndex kNotAFact = std::numeric_limits<FactIndex>::max();
inline constexpr FactIndex kUnvalued = 0;

class AtomTable {
 public:
  explicit AtomTable(std::uint32_t arity) : columns_(std::make_unique<Columns>(arity)) {}

  /// `row`: the example, then the arguments. The atom's index, and whether it is new.
  std::pair<AtomIndex, bool> add(std::span<const std::uint32_t> row) {
    Columns& c = *columns_;
    c.index_all();
    if (const auto found = c.known.find(row); found != c.known.end()) return {*found, false};
    const AtomIndex next = append(row);
    c.index_all();
    return {next, true};
  }
  /// The same of a row that is not there, which the caller knows. Nothing is hashed before an
  /// atom is looked up by its row, which atoms of most predicates of facts never are.
  AtomIndex append(std::span<const std::uint32_t> row) {
    Columns& c = *columns_;
    c.rows.insert(c.rows.end(), row.begin(), row.end());
    c.facts.push_back(kNotAFact);
    return static_cast<AtomIndex>(c.facts.size() - 1);
  }
  /// kNotAnAtom if it is not there.
  [[nodiscard]] AtomIndex find(std::span<const std::uint32_t> row) const {
    columns_->index_all();
    const auto found = columns_->known.find(row);
    return found == columns_->known.end() ? kNotAnAtom : *found;
  }
  static constexpr AtomIndex kNotAnAtom = std::numeric_limits<AtomIndex>::max();

  [[nodiscard]] AtomIndex size() const { return static_cast<AtomIndex>(columns_->facts.size()); }
  [[nodiscard]] std::span<const std::uint32_t> row(AtomIndex atom) const {
    return columns_->row(atom);
  }
  [[nodiscard]] std::span<const Constant> arguments(AtomIndex atom) const {
    return row(atom).subspan(1);
  }
  [[nodiscard]] FactIndex fact(AtomIndex atom) const { return columns_->facts[atom]; }
  void set_fact(AtomIndex atom, FactIndex fact) { columns_->facts[atom] = fact; }

 private:
  using Row = std::span<const std::uint32_t>;
  struct Columns;
  // Sets of row numbers that are looked up by rows.
  struct Hash {
    using is_transparent = void;
    const Columns* columns;
    std::size_t operator()(Row row) const {
      std::uint64_t hash = 0x9E3779B97F4A7C15ull;
      for (const std::uint32_t word : row) {
        hash = (hash ^ word) * 0xD6E8FEB86659FD93ull;
        hash ^= hash >> 32;
      }
      return hash;
    }
    std::size_t operator()(AtomIndex atom) const { return (*this)(columns->row(atom)); }
  };
  struct Equal {
    using is_transparent = void;
    const Columns* columns;
    bool operator()(AtomIndex a, AtomIndex b) const { return a == b; }
    bool operator()(Row row, AtomIndex atom) const { return same(row, columns->row(atom)); }
    bool operator()(AtomIndex atom, Row row) const { return (*this)(row, atom); }
    static bool same(Row a, Row b) {
      for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] != b[i]) return false;
      }
      return true;
    }
  };
  struct Columns {
    explicit Columns(std::uint32_t arity) : width(arity + 1), known(0, Hash{this}, Equal{this}) {}
    Columns(const Columns&) = delete;
    Columns& operator=(const Columns&) = delete;
    ~Columns() = default;
    [[nodiscard]] Row row(AtomIndex atom) const {
      return Row(rows).subspan(std::size_t{atom} * width, width);
    }
    void index_all() {
      for (; indexed < facts.size(); ++indexed) known.insert(static_cast<AtomIndex>(indexed));
    }
    std::uint32_t width;
    std::size_t indexed = 0;  // rows that `known` has
    std::vector<std::uint32_t> rows;
    std::vector<FactIndex> facts;
    boost::unordered_flat_set<AtomIndex, Hash, Equal> known;
  };
  std::unique_ptr<Columns> columns_;  // stays where it is: the set points to it
};

}  // namespace vecc::tools::ground
