// Molecules in relational tables: the mutagenesis database of the relational learning repository.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vecc/error.h"
#include "vecc/neuron_graph.h"

namespace vecc::tools {

/// Tables `drugs` (id, active), `atoms` (id, drug_id, element) and `bonds` (id, drug_id, atom1_id,
/// atom2_id, bond_type), joined: drugs ascending by id (as numbers if all are, else as text), the
/// atoms and bonds of each in file order. Atom a of the set belongs to molecule m with
/// atom_begin[m] <= a < atom_begin[m+1]; a bond's ends are two atoms of the bond's own molecule.
/// Each bond is listed once.
struct Molecules {
  StringColumn names;                        ///< by molecule: the drug's id as text
  std::vector<bool> active;                  ///< by molecule
  std::vector<std::uint32_t> atom_begin{0};  ///< molecule_count + 1
  std::vector<std::uint32_t> element;        ///< by atom: index into elements
  StringColumn elements;                     ///< distinct, ascending: "br", "c", "cl", ...
  std::vector<std::uint32_t> bond_begin{0};  ///< molecule_count + 1
  std::vector<std::uint32_t> bond_first;     ///< by bond: atom
  std::vector<std::uint32_t> bond_second;    ///< by bond: atom
  std::vector<std::uint32_t> bond_type;      ///< by bond: index into bond_types
  std::vector<std::int64_t> bond_types;      ///< distinct, ascending: 1, 2, 3, 4, 5, 7
};

/// Reads an SQLite file, or a folder with drugs.csv, atoms.csv and bonds.csv (RFC 4180, a header
/// row, columns found by name, more columns and tables ignored). Errors (with file or table, row,
/// column): FileUnreadable, FileEmpty, BadTable, DuplicateId, DanglingReference; NotBuiltIn for an
/// SQLite file where vecc was built without SQLite.
[[nodiscard]] Result<Molecules> load_molecules(const std::string& path);

}  // namespace vecc::tools
