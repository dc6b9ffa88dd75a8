// Which rows of a fact's table in the host's memory are on the GPU: the most read ones. The table
// is one range of addresses, of which the first bytes are the GPU's, so kernels are the same; its
// rows change places, the hot ones first, and so do the numbers by which launches read them:
//
//   rows 0 1 2 3 4, of which launches read 3, 1, 3      room for two rows
//   =>  places of rows 1 3 0 2 4, launches read 1, 0, 1
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/plan/plan_tables.h"

namespace vecc {

/// By place, the row that lies there: the `hot` most read ones (of equally often read ones the
/// first), then all others; each part in the order of the rows.
[[nodiscard]] std::vector<std::uint32_t> order_hot_first(const std::vector<std::uint32_t>& counts,
                                                         std::uint64_t hot);

/// Facts of which host tables have hot rows in `room` bytes of the device: the most moved table for
/// its size first. Not those that were asked for, which are where they were asked to be.
/// `page_bytes`: what the device part of a table is a multiple of. Returns whether there are any;
/// then the Plan has changed.
[[nodiscard]] bool place_hot_rows(Plan& plan, const Program& program,
                                  std::vector<PlacedTable>& tables, std::uint64_t room,
                                  std::uint64_t page_bytes, bool by_batches);

}  // namespace vecc
