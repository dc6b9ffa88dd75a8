// What a compiled Program has beside its Plan to run batch by batch.
#pragma once

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
  /// With what the arena takes now.
  [[nodiscard]] std::uint64_t bytes() const {
    return bytes_of(batch_) + binders_.bytes() + walk_.bytes() + pages_.bytes();
  }

 private:
  const BatchPlan batch_;
  BinderPool binders_;
  BatchWalk walk_;
  ArenaPages pages_;
  std::uint64_t number_bytes_;
  std::shared_ptr<ThreadTeam> team_;
};

}  // namespace vecc::cpu
