#include "tools/import/load/molecule_builder.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tools/import/load/line_reader.h"
#include "tools/import/load/text_checks.h"
#include "tools/import/load/value_index.h"

namespace vecc::tools {
namespace {

Place at_column(const TableRow& row, std::string_view column) {
  Place place = row.place;
  place.column_name = column;
  return place;
}

// 0 .. size-1 in the order that `before` states; rank[i] is where i stands in it.
template <class Before>
std::vector<std::uint32_t> sorted_order(std::size_t size, const Before& before) {
  std::vector<std::uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, before);
  return order;
}

std::vector<std::uint32_t> ranks_of(const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> rank(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  return rank;
}

// Rows of each molecule together, in their old order; fills begin[molecule].
std::vector<std::uint32_t> group_rows(const std::vector<std::uint32_t>& drug_of_row,
                                      const std::vector<std::uint32_t>& rank,
                                      std::vector<std::uint32_t>& begin) {
  begin.assign(rank.size() + 1, 0);
  for (const std::uint32_t drug : drug_of_row) ++begin[rank[drug] + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  std::vector<std::uint32_t> rows(drug_of_row.size());
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    rows[next[rank[drug_of_row[row]]]++] = row;
  }
  return rows;
}

}  // namespace

bool MoleculeBuilder::check_text(const TableRow& row, std::string_view value,
                                 std::string_view column) {
  if (value.empty()) {
    errors_.add(ErrorCode::BadTable, at_column(row, column),
                [] { return std::string("found nothing, expected a value"); });
    return false;
  }
  if (!find_bad_utf8(value)) return true;
  errors_.add(ErrorCode::BadTable, at_column(row, column),
              [&] { return found_expected(value, "UTF-8 text"); });
  return false;
}

bool MoleculeBuilder::add_id(Rows& rows, const TableRow& row) {
  const std::string_view id = row.values[0];
  if (!check_text(row, id, "id")) return false;
  if (rows.lines.size() == kMaxRows) {
    errors_.add(ErrorCode::LimitRows, row.place,
                [] { return "the limit is " + std::to_string(kMaxRows) + " rows"; });
    return false;
  }
  if (const auto found = rows.names.find(id)) {
    errors_.add(ErrorCode::DuplicateId, at_column(row, "id"), [&] {
      return "id " + quote(id) + " is that of " + std::string(row.place.unit) + " " +
             std::to_string(rows.lines[*found]) + ", expected another one";
    });
    return false;
  }
  rows.names.add(id);
  rows.lines.push_back(row.place.line);
  return true;
}

std::optional<std::uint32_t> MoleculeBuilder::find(const Rows& rows, const TableRow& row,
                                                   std::string_view id, std::string_view column,
                                                   std::string_view what) {
  const std::optional<std::uint32_t> found = rows.names.find(id);
  if (!found) {
    errors_.add(ErrorCode::DanglingReference, at_column(row, column),
                [&] { return found_expected(id, "the id of " + std::string(what)); });
  }
  return found;
}

std::optional<std::int64_t> MoleculeBuilder::read_whole_number(const TableRow& row,
                                                               std::string_view value,
                                                               std::string_view column,
                                                               std::string_view expected) {
  if (const std::optional<std::int64_t> whole = parse_integer(value)) return whole;
  // A column that also had missing values may have come out as 7.0.
  const std::optional<double> real = parse_real(value);
  if (real && std::abs(*real) < 1e15 && *real == std::trunc(*real)) {
    return static_cast<std::int64_t>(*real);
  }
  errors_.add(ErrorCode::BadTable, at_column(row, column),
              [&] { return found_expected(value, expected); });
  return std::nullopt;
}

void MoleculeBuilder::add_drug(const TableRow& row) {
  constexpr std::string_view kExpected = "0 or 1";
  if (!add_id(drugs_, row)) return;
  const auto active = read_whole_number(row, row.values[1], "active", kExpected);
  if (active && (*active < 0 || *active > 1)) {
    errors_.add(ErrorCode::BadTable, at_column(row, "active"),
                [&] { return found_expected(row.values[1], kExpected); });
  }
  active_.push_back(active == 1);
}

void MoleculeBuilder::add_atom(const TableRow& row) {
  if (!add_id(atoms_, row)) return;
  const auto drug = find(drugs_, row, row.values[1], "drug_id", "a drug");
  const std::string_view element = row.values[2];
  const bool has_element = check_text(row, element, "element");
  atom_drug_.push_back(drug.value_or(0));
  atom_element_.push_back(has_element ? elements_.add(element) : 0);
}

bool MoleculeBuilder::check_new_bond(const TableRow& row, std::uint32_t first,
                                     std::uint32_t second) {
  const auto [low, high] = std::minmax(first, second);
  const auto [entry, is_new] =
      bond_lines_.try_emplace(std::uint64_t{low} << 32 | high, row.place.line);
  if (is_new && first != second) return true;
  errors_.add(ErrorCode::BadTable, row.place, [&, line = entry->second] {
    const std::string pair = "atoms " + quote(row.values[2]) + " and " + quote(row.values[3]);
    return first == second ? "a bond of " + pair + ", expected two atoms"
                           : pair + " have a bond in " + std::string(row.place.unit) + " " +
                                 std::to_string(line) + ", expected each bond once";
  });
  return false;
}

void MoleculeBuilder::add_bond(const TableRow& row) {
  if (!add_id(bonds_, row)) return;
  const auto drug = find(drugs_, row, row.values[1], "drug_id", "a drug");
  if (!drug) return;
  std::optional<std::uint32_t> ends[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string_view column = kBondColumns[2 + i];
    ends[i] = find(atoms_, row, row.values[2 + i], column, "an atom");
    if (ends[i] && atom_drug_[*ends[i]] != *drug) {
      errors_.add(ErrorCode::DanglingReference, at_column(row, column), [&] {
        return "atom " + quote(row.values[2 + i]) + " is one of drug " +
               quote(drugs_.names.names()[atom_drug_[*ends[i]]]) + ", expected one of drug " +
               quote(row.values[1]);
      });
      return;
    }
  }
  const auto type = read_whole_number(row, row.values[4], "bond_type", "a whole number");
  if (!ends[0] || !ends[1] || !type || !check_new_bond(row, *ends[0], *ends[1])) return;
  bond_drug_.push_back(*drug);
  bond_first_.push_back(*ends[0]);
  bond_second_.push_back(*ends[1]);
  bond_type_.push_back(*type);
}

// By number where all ids are numbers, else by text.
std::vector<std::uint32_t> MoleculeBuilder::order_drugs() const {
  const StringColumn& names = drugs_.names.names();
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (const auto number = parse_integer(names[i])) numbers.push_back(*number);
  }
  const bool by_number = numbers.size() == names.size();
  return sorted_order(names.size(), [&](std::uint32_t a, std::uint32_t b) {
    return by_number ? numbers[a] < numbers[b] : names[a] < names[b];
  });
}

void MoleculeBuilder::place_atoms(Molecules& molecules, const std::vector<std::uint32_t>& rank) {
  const StringColumn& elements = elements_.names();
  const std::vector<std::uint32_t> order = sorted_order(
      elements.size(), [&](std::uint32_t a, std::uint32_t b) { return elements[a] < elements[b]; });
  for (const std::uint32_t element : order) molecules.elements.push_back(elements[element]);
  const std::vector<std::uint32_t> element_rank = ranks_of(order);
  const std::vector<std::uint32_t> rows = group_rows(atom_drug_, rank, molecules.atom_begin);
  for (const std::uint32_t row : rows) {
    molecules.element.push_back(element_rank[atom_element_[row]]);
  }
  atom_number_ = ranks_of(rows);
}

void MoleculeBuilder::place_bonds(Molecules& molecules, const std::vector<std::uint32_t>& rank) {
  const std::vector<std::uint32_t> types = index_values(bond_type_, molecules.bond_types);
  for (const std::uint32_t row : group_rows(bond_drug_, rank, molecules.bond_begin)) {
    molecules.bond_first.push_back(atom_number_[bond_first_[row]]);
    molecules.bond_second.push_back(atom_number_[bond_second_[row]]);
    molecules.bond_type.push_back(types[row]);
  }
}

Molecules MoleculeBuilder::finish() {
  Molecules molecules;
  const std::vector<std::uint32_t> order = order_drugs();
  for (const std::uint32_t drug : order) {
    molecules.names.push_back(drugs_.names.names()[drug]);
    molecules.active.push_back(active_[drug]);
  }
  const std::vector<std::uint32_t> rank = ranks_of(order);
  place_atoms(molecules, rank);
  place_bonds(molecules, rank);
  return molecules;
}

}  // namespace vecc::tools
