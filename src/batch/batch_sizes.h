// How much of each launch a batch runs.
#pragma once

#include <vector>

#include "src/batch/batch_plan.h"
#include "src/kernel/schedule/row_sizes.h"

namespace vecc {

/// By launch, the rows that it runs of a batch and their members, as one class; of a launch that
/// does not run, one row of the usual length. A batch without weights and samples: all rows.
[[nodiscard]] std::vector<RowSizes> batch_sizes(const BatchPlan& plan, const Batch& batch);

}  // namespace vecc
