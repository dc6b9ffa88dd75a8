// The tables of a Plan (facts, parameters, states), and the rule by which those go that do not fit:
// by bytes and reads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vecc/plan.h"
#include "vecc/program.h"
#include "vecc/table_place.h"

namespace vecc {

/// A table, which may have several buffers: the kind of these and their source; a fact's buffer.
using TableId = std::pair<PlanBuffer::Kind, std::uint32_t>;
[[nodiscard]] inline TableId table_of(const Plan& plan, BufferIndex buffer) {
  const PlanBuffer& of = plan.buffers[buffer];
  return {of.kind, of.kind == PlanBuffer::Kind::Constant ? buffer : of.source};
}

/// Of a table in the host's memory: rows that are on the device, which are its first ones.
struct HotRows {
  std::uint64_t rows = 0;  ///< on the device as a whole
  std::uint64_t of = 0;    ///< of so many
  std::uint64_t bytes = 0;
  std::uint64_t row_elements = 0;
  /// By place, the row of the Program that lies there; null: rows are in their own places.
  std::shared_ptr<const std::vector<std::uint32_t>> order;
};

/// A buffer that is a fact's, a parameter's or a state's.
struct PlacedTable {
  BufferIndex buffer = 0;
  std::string name;  ///< as PlaceOptions::Wish::table; not escaped
  std::uint64_t bytes = 0;
  std::uint64_t moved = 0;  ///< bytes that launches read and write there in a run of all rows
  TablePlace place = TablePlace::Device;
  bool is_asked = false;     ///< where it is was asked for
  bool is_there = false;     ///< another executable has made it
  bool is_named = true;      ///< other Plans may have it by that name; else the name is this Plan's
  std::uint64_t copies = 0;  ///< bytes of the same rows in other executables, in the same place
  std::optional<HotRows> hot = {};
  bool rows_stay = false;  ///< there was room for hot rows, but they cannot change places
};

/// All of a Plan, at `place`.
[[nodiscard]] std::vector<PlacedTable> find_tables(const Plan& plan, const Program& program,
                                                   TablePlace place);

/// Places of tables that the Plan has not are others'.
void take_wishes(std::vector<PlacedTable>& tables, const PlaceOptions& places);

/// Whether fewer bytes of `a` are moved for each byte of its size.
[[nodiscard]] bool is_colder(const PlacedTable& a, const PlacedTable& b);

/// With copies.
[[nodiscard]] std::uint64_t bytes_at(const std::vector<PlacedTable>& tables, TablePlace place);

/// Moves tables away until the rest are `room` bytes at most: those of which the fewest bytes are
/// moved for each byte that this saves. What was asked for, or is there, stays. If that is not
/// enough, all others are moved.
void move_tables(std::vector<PlacedTable>& tables, TablePlace from, TablePlace to,
                 std::uint64_t room);

/// A line a table, largest first; for people, names escaped.
[[nodiscard]] std::string text_of(std::vector<PlacedTable> tables);

}  // namespace vecc
