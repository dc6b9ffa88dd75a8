// What a compiled step has beside its Plan to run batch by batch.
#pragma once

#include <memory>
#include <vector>

#include "backends/cpu/arena_pages.h"
#include "backends/cpu/batch_walk.h"
#include "src/batch/binder_pool.h"

namespace vecc::cpu {

class CpuBatch final : public BoundBatch {
 public:
  CpuBatch(const BatchPlan& plan, std::uint64_t number_bytes)
      : plan_(&plan), number_bytes_(number_bytes) {}

  BatchRows rows;
  std::vector<Batch::Weights> weights;

  [[nodiscard]] std::unique_ptr<BoundBatch> copy() const override {
    return std::make_unique<CpuBatch>(*this);
  }
  [[nodiscard]] std::uint64_t bytes() const override { return rows.bytes() + bytes_of(weights); }
  [[nodiscard]] BatchBytes step_bytes() const override {
    return bytes_of_step(*plan_, rows, number_bytes_);
  }

 private:
  const BatchPlan* plan_;
  std::uint64_t number_bytes_;
};

class BatchRunner {
 public:
  /// `bound`: the Plan that was batch.plan, bound; it must outlive this. `kept_bytes`:
  /// BatchOptions'. Throws std::bad_alloc.
  BatchRunner(BatchPlan batch, const BoundPlan& bound, std::shared_ptr<ThreadTeam> team,
              std::uint64_t kept_bytes);

  /// With room for any batch.
  [[nodiscard]] std::unique_ptr<CpuBatch> make_batch() const;
  /// May be called while a batch runs, and on several threads. Error: Usage (rows that the
  /// parameters have not).
  [[nodiscard]] Result<void> bind(const Batch& batch, CpuBatch& to);
  void run(const CpuBatch& batch) {
    pages_.make_room(batch.rows);
    walk_.run(batch.rows, *team_);
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
