// Whether batches on the cpu have their values in a memory of their own, and what they take then.
#pragma once

#include "src/batch/batch_plan.h"

namespace vecc::cpu {

/// As the options ask; where they leave the choice, what is less work. Error: check_compact().
[[nodiscard]] Result<bool> takes_compact(const Plan& plan, const BatchOptions& batch);

/// What a usual batch of a compact plan takes at most: values with the room that is made for them.
/// `typical`: BatchOptions'; without it, as if a batch had all rows. Error: Usage (check_batch()).
[[nodiscard]] Result<BatchBytes> usual_bytes(const BatchPlan& plan, const Batch& typical);

}  // namespace vecc::cpu
