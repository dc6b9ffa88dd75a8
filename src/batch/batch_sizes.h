// How much of each launch a batch runs.
#pragma once

#include <vector>

#include "src/batch/batch_plan.h"
#include "src/kernel/schedule/row_sizes.h"

namespace vecc {

/// Whether it says of nothing: a batch of weights has rows, or none, of each parameter.
[[nodiscard]] inline bool is_empty(const Batch& batch) {
  return batch.weights.empty() && batch.samples.empty();
}

/// By launch, the rows that it runs of a batch and their members, as one class; of a launch that
/// does not run, one row of the usual length. Of an empty batch: all rows. `plan`: that of
/// `batches`; `batch`: one of theirs (check_batch()).
[[nodiscard]] std::vector<RowSizes> batch_sizes(const Plan& plan, const BatchPlan& batches,
                                                const Batch& batch);

}  // namespace vecc
