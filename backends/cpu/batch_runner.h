// What a compiled Program has beside its Plan to run batch by batch.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "backends/cpu/arena_pages.h"
#include "backends/cpu/batch_walk.h"
#include "src/batch/plan_batch.h"

namespace vecc::cpu {

class BatchRunner {
 public:
  /// `bound`: the Plan that was batch.plan, bound; it must outlive this. `kept_bytes`:
  /// BatchOptions'. Throws std::bad_alloc.
  BatchRunner(BatchPlan batch, const BoundPlan& bound, std::shared_ptr<ThreadTeam> team,
              std::uint64_t kept_bytes);

  /// PlanBatch::bind(); also while a batch runs.
  [[nodiscard]] Result<void> bind(const Batch& batch, std::unique_ptr<BoundBatch>& to);
  /// Null if it is not this step's.
  [[nodiscard]] const PlanBatch* find(const BoundBatch& batch) const {
    return PlanBatch::find(batch_, &batch);
  }
  /// BatchPlan::outputs.
  [[nodiscard]] std::span<const BatchOutput> outputs() const { return batch_.outputs; }
  void run(const PlanBatch& batch) {
    pages_.make_room(batch.rows());
    walk_.run(batch.rows(), *team_);
  }
  /// With what the arena takes now; with what compact batches will, before the first of those that
  /// were bound has run.
  [[nodiscard]] std::uint64_t bytes() const {
    const std::uint64_t to_come = walk_.has_room() ? 0 : BatchWalk::room_for(expected_values_);
    return bytes_of(batch_) + binders_.bytes() + walk_.bytes() + pages_.bytes() +
           to_come * number_bytes_;
  }

 private:
  const BatchPlan batch_;
  BinderPool binders_;
  BatchWalk walk_;
  ArenaPages pages_;
  std::uint64_t number_bytes_;
  std::atomic<std::uint64_t> expected_values_ = 0;  // of a compact batch that was bound, at most
  std::shared_ptr<ThreadTeam> team_;
};

}  // namespace vecc::cpu
