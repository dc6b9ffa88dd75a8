// Whether a batch is one of a BatchPlan's step.
#pragma once

#include "src/batch/batch_plan.h"

namespace vecc {

/// Error: Usage (weights of other parameters; rows that do not rise, or are not there).
[[nodiscard]] Result<void> check_batch(const BatchPlan& plan, const Batch& batch);

}  // namespace vecc
