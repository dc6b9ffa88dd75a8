// How much of each launch a batch runs.
#pragma once

#include <cstdint>
#include <vector>

#include "src/batch/batch_plan.h"
#include "src/batch/weight_reach.h"
#include "src/kernel/schedule/row_sizes.h"

namespace vecc {

/// Whether it says of nothing: a batch of weights has rows, or none, of each parameter.
[[nodiscard]] inline bool is_empty(const Batch& batch) {
  return batch.weights.empty() && batch.samples.empty();
}

struct BatchSizes {
  /// By launch, the rows that it runs of a batch and their members, as one class; of a launch that
  /// does not run, one row of the usual length. Of an empty batch: all rows.
  std::vector<RowSizes> launches;
  /// Of the batch's index arrays (BatchBytes::arrays); of an empty batch, of the plan's.
  std::uint64_t array_bytes = 0;
};
/// `plan`: that of `batches`; `batch`: one of theirs (check_batch()). `reach`: what batches are
/// united from, which share arrays then; null: they are searched.
[[nodiscard]] BatchSizes batch_sizes(const Plan& plan, const BatchPlan& batches, const Batch& batch,
                                     const WeightReach* reach = nullptr);

/// Of ops of a Plan whose segments are cut into many pieces, of which a batch has a small part,
/// spread evenly: what PlanOptions::usual_members says of them. `batch`: batch_sizes() of a usual
/// one.
[[nodiscard]] std::vector<PlanOptions::UsualMembers> usual_members(const Plan& plan,
                                                                   const BatchSizes& batch);

}  // namespace vecc
