// How often launches read the rows of a table.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "vecc/plan.h"
#include "vecc/program.h"

namespace vecc {

/// Of a row of a table, as all that read it have it; 0: they differ, or read matrices of types.
[[nodiscard]] std::uint64_t common_row_elements(const Plan& plan, const Program& program,
                                                BufferIndex table);

/// How often the rows of a table are read in a run of all rows.
struct RowReads {
  std::uint64_t row_elements = 0;
  std::vector<std::uint32_t> counts;  ///< by row
  std::uint64_t list_entries = 0;     ///< of index arrays that renumber_rows() adds, at most
};

/// Of a fact. `by_batches`: only a part of the rows runs at once, so a row counts as often as what
/// is computed of it is read. None if its rows have to stay where they are: a launch reads them in
/// other sizes, or as matrices of types, or the host does.
[[nodiscard]] std::optional<RowReads> count_row_reads(const Plan& plan, const Program& program,
                                                      BufferIndex table, bool by_batches);

}  // namespace vecc
