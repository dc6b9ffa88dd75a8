// Which tables of a Plan are in a GPU's memory, and which in the host's: by bytes and reads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/plan/plan_tables.h"
#include "vecc/error.h"

namespace vecc {

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

/// What hot rows may take of `room` bytes beside all that place_tables() has placed: half of what
/// is left. Batches take memory, and so do Programs that are made later, as a validation's.
[[nodiscard]] std::uint64_t room_for_hot_rows(const Plan& plan,
                                              const std::vector<PlacedTable>& tables,
                                              const PlaceOptions& places, std::uint64_t room);

}  // namespace vecc
