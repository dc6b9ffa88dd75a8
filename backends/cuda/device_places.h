// Where the tables of an executable are: on a GPU or in the host's memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backends/cuda/device.h"
#include "src/plan/place_tables.h"
#include "vecc/backend.h"

namespace vecc::cuda {

/// place_tables() by what is free on the device and the host now; tables of options.storage stay
/// where they are. `program`: of the Plan, which reads rows where they lie then (place_hot_rows()),
/// in another order (order_rows_by_address()). Warns if tables are in the host's memory. Errors:
/// those of place_tables(), Usage (a table in a file); the Plan then stays as it is.
/// Throws DeviceError. `values`: elements that are on the device in the place of the Plan's arena
/// and of its index arrays.
[[nodiscard]] Result<std::vector<PlacedTable>> place_on_device(
    Plan& plan, const Program& program, const ExecutionOptions& options, const Device& device,
    std::optional<std::uint64_t> values = {});

}  // namespace vecc::cuda
