// Molecules from the rows of three tables.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/import/load/load_errors.h"
#include "tools/import/load/molecules.h"
#include "tools/import/load/name_table.h"
#include "tools/import/load/table_rows.h"

namespace vecc::tools {

inline constexpr std::array<std::string_view, 2> kDrugColumns = {"id", "active"};
inline constexpr std::array<std::string_view, 3> kAtomColumns = {"id", "drug_id", "element"};
inline constexpr std::array<std::string_view, 5> kBondColumns = {"id", "drug_id", "atom1_id",
                                                                 "atom2_id", "bond_type"};

/// All drugs first, then all atoms, then all bonds, then finish().
class MoleculeBuilder {
 public:
  explicit MoleculeBuilder(LoadErrors& errors) : errors_(errors) {}

  /// Each takes a row of the columns above.
  void add_drug(const TableRow& row);
  void add_atom(const TableRow& row);
  void add_bond(const TableRow& row);
  /// After rows without errors.
  [[nodiscard]] Molecules finish();

 private:
  /// What the rows of a table are called, and where the first of each name stands.
  struct Rows {
    NameTable names;
    std::vector<std::uint64_t> lines;
  };

  bool add_id(Rows& rows, const TableRow& row);
  bool check_text(const TableRow& row, std::string_view value, std::string_view column);
  std::optional<std::uint32_t> find(const Rows& rows, const TableRow& row, std::string_view id,
                                    std::string_view column, std::string_view what);
  std::optional<std::int64_t> read_whole_number(const TableRow& row, std::string_view value,
                                                std::string_view column, std::string_view expected);
  bool check_new_bond(const TableRow& row, std::uint32_t first, std::uint32_t second);
  std::vector<std::uint32_t> order_drugs() const;
  void place_atoms(Molecules& molecules, const std::vector<std::uint32_t>& rank);
  void place_bonds(Molecules& molecules, const std::vector<std::uint32_t>& rank);

  LoadErrors& errors_;
  Rows drugs_, atoms_, bonds_;
  NameTable elements_;
  std::vector<bool> active_;  // by drug, in file order as all below
  std::vector<std::uint32_t> atom_drug_;
  std::vector<std::uint32_t> atom_element_;
  std::vector<std::uint32_t> bond_drug_, bond_first_, bond_second_;
  std::vector<std::int64_t> bond_type_;
  std::vector<std::uint32_t> atom_number_;  // by atom: its number in the set
  boost::unordered_flat_map<std::uint64_t, std::uint64_t> bond_lines_;  // by pair of atoms
};

}  // namespace vecc::tools
