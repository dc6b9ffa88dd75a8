// Values that no kernel stores: what reads them computes their rows, as it comes to them.
#pragma once

#include <optional>
#include <vector>

#include "src/plan/analysis/operand_reads.h"

namespace vecc {

/// What row i of an op's result is made of: by operand, for all rows or those that an index names;
/// none where the op does not read the operand's rows. Of a `map`, a `linear`, and a `vjp` of a map
/// that has a row for each of the map.
[[nodiscard]] std::vector<std::optional<RowRead>> rows_read(
    const Program& program, const ValueSources& sources, ValueId id,
    const std::optional<Index>& index = std::nullopt);

/// By value.
[[nodiscard]] std::vector<bool> find_inlined(const Program& program, const PlanOptions& options,
                                             const std::vector<Place>& places,
                                             const ValueSources& sources);

}  // namespace vecc
