// Which tables of a Plan are in a GPU's memory, and which in the host's: by bytes and reads.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "vecc/error.h"
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

/// A buffer that is a fact's, a parameter's or a state's.
struct PlacedTable {
  BufferIndex buffer = 0;
  std::string name;  ///< as PlaceOptions::Wish::table; not escaped
  std::uint64_t bytes = 0;
  std::uint64_t moved = 0;  ///< bytes that launches read and write there in a run of all rows
  TablePlace place = TablePlace::Device;
  bool is_asked = false;  ///< where it is was asked for
  bool is_there = false;  ///< another executable has made it
};

/// Where another executable has put a table already.
using FindPlaced = std::function<std::optional<TablePlace>(BufferIndex)>;

/// All tables on the device if they fit beside the arena and the indices; else those in the host's
/// memory of which the fewest bytes are moved for each byte that this saves on the device. Wishes
/// for tables that the Plan has not are others'. `room`: bytes that are free on the device, those
/// of tables that are there not counted. Errors: OutOfMemory (what must be on the device does not
/// fit, or the rest not into `host_room`); `device`: the name for it.
[[nodiscard]] Result<std::vector<PlacedTable>> place_tables(
    const Plan& plan, const Program& program, const PlaceOptions& places, std::uint64_t room,
    std::uint64_t host_room, const std::string& device, const FindPlaced& find_placed);

/// A line a table, largest first; for people, names escaped.
[[nodiscard]] std::string text_of(std::vector<PlacedTable> tables);

}  // namespace vecc
