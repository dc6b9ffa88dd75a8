// In which order a launch goes through its rows, where these are read from the host's memory: a
// GPU's translation of host addresses covers a part of a large table, so neighbours should be read
// at about the same time.
#pragma once

#include <cstdint>
#include <vector>

#include "src/plan/plan_tables.h"

namespace vecc {

/// Launches without segments that read rows of tables in the host's memory by a list take their
/// rows in the order of that list's entries, those of a type one behind the other as before. (Rows
/// are independent: every bit stays.) Of several such lists that of the longest rows decides.
/// What orders take on the device is `room` bytes at most: launches for which nothing is left stay
/// as they are. Returns whether any launch has changed. Not for batches, whose rows come in their
/// own order.
[[nodiscard]] bool order_rows_by_address(Plan& plan, const std::vector<PlacedTable>& tables,
                                         std::uint64_t room);

}  // namespace vecc
