// Sums of rows that are added up beside their outer products: the gradient of a bias in the loop
// that makes the gradient of the matrix before it.
#pragma once

#include <vector>

#include "src/plan/analysis/value_source.h"
#include "vecc/plan.h"

namespace vecc {

/// By value: of a `contract` the sum of its left side's rows, by the same types, that is computed
/// in its loop; of such a sum that contract; kNone for all others. What both read is there before
/// either. On a processor, where the loop has these rows in a core's cache; a GPU's threads have
/// tiles of the matrix, and none of them whole rows.
[[nodiscard]] std::vector<ValueId> find_side_sums(const Program& program,
                                                  const PlanOptions& options,
                                                  const ValueSources& sources,
                                                  const std::vector<bool>& inlined);

}  // namespace vecc
