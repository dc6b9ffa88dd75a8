// Facts in the host's memory whose rows a step in batches copies to the GPU once, however many
// launches read them:
//
//   x in the host's memory          launch 0   rows of x that the batch reads => x'    stage 0
//   other launches read x           others read x', in the GPU's memory                stage 1
//
// A batch has few of the rows, in the order of their addresses, and stage 0 needs nothing that a
// step changes: it runs for the next batch while this one's stage 1 does.
#pragma once

#include <cstdint>
#include <vector>

#include "src/plan/plan_tables.h"

namespace vecc {

/// Facts in the host's memory that may be fetched: all launches read them in rows of one size.
[[nodiscard]] std::vector<BufferIndex> find_fetched(const Plan& plan, const Program& program,
                                                    const std::vector<PlacedTable>& tables);

/// A Plan of one stage becomes one of two: a launch and a buffer of the arena for each fact, in
/// front.
void fetch_rows(Plan& plan, const Program& program, const std::vector<BufferIndex>& facts);

}  // namespace vecc
