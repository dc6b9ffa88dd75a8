// Binders for several threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "src/batch/batch_binder.h"
#include "src/batch/weight_reach.h"
#include "src/support/free_list.h"

namespace vecc {

/// As many binders as threads bind at the same time.
class BinderPool {
 public:
  /// The plan must outlive this.
  explicit BinderPool(const BatchPlan& plan)
      : plan_(plan), reach_(WeightReach::make(plan, WeightReach::most_bytes(plan))) {
    free_.give_back(take());
  }

  /// Of batches that are searched: launches with the same numbers have the same rows. Before the
  /// first of them. Must outlive this.
  void share_arrays(const ReachNumbers& numbers);
  /// BatchBinder::bind(), on any thread.
  void bind(const Batch& batch, BatchRows& result);
  /// Null: batches are searched.
  [[nodiscard]] const WeightReach* reach() const { return reach_.get(); }
  /// Of all binders, and what they share.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  [[nodiscard]] std::unique_ptr<BatchBinder> take();

  const BatchPlan& plan_;
  const std::unique_ptr<const WeightReach> reach_;  // null: they search
  const ReachNumbers* numbers_ = nullptr;
  FreeList<BatchBinder> free_;
  std::atomic<std::uint64_t> bytes_ = 0;
};

}  // namespace vecc
