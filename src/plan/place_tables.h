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
/// fit, or the rest not into `host_room`); `device`: the name for it. `has_arrays`: the Plan's
/// index arrays are on the device.
[[nodiscard]] Result<std::vector<PlacedTable>> place_tables(
    const Plan& plan, const Program& program, const PlaceOptions& places, std::uint64_t room,
    std::uint64_t host_room, const std::string& device, const FindPlaced& find_placed,
    bool has_arrays = true);

/// Values and index arrays, which are on the device always.
[[nodiscard]] std::uint64_t bytes_beside_tables(const Plan& plan);

/// What is left of `room` bytes beside these and all that place_tables(), and place_hot_rows(), put
/// on the device.
[[nodiscard]] std::uint64_t room_beside(const Plan& plan, const std::vector<PlacedTable>& tables,
                                        const PlaceOptions& places, std::uint64_t room);

/// A line: what all of that takes there.
[[nodiscard]] std::string text_of_device(const Plan& plan, const std::vector<PlacedTable>& tables);

}  // namespace vecc
