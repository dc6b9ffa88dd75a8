#include "backends/cpu/batch_runner.h"

#include <utility>

#include "src/batch/check_batch.h"

namespace vecc::cpu {

BatchRunner::BatchRunner(BatchPlan batch, const BoundPlan& bound, std::shared_ptr<ThreadTeam> team,
                         std::uint64_t kept_bytes)
    : batch_(std::move(batch)),
      walk_(batch_, bound, team->size()),
      pages_(batch_, bound, kept_bytes),
      number_bytes_(byte_size(bound.plan().dtype)),
      team_(std::move(team)) {
  binders_.push_back(take_binder());
}

std::unique_ptr<BatchBinder> BatchRunner::take_binder() {
  const std::lock_guard lock(takes_);
  if (!binders_.empty()) {
    std::unique_ptr<BatchBinder> binder = std::move(binders_.back());
    binders_.pop_back();
    return binder;
  }
  auto binder = std::make_unique<BatchBinder>(batch_);
  binder_bytes_ += binder->bytes();
  return binder;
}

std::unique_ptr<CpuBatch> BatchRunner::make_batch() const {
  auto batch = std::make_unique<CpuBatch>(batch_, number_bytes_);
  batch->rows.reserve(batch_);
  return batch;
}

Result<void> BatchRunner::bind(const Batch& batch, CpuBatch& to) {
  VECC_TRY_VOID(check_batch(batch_, batch));
  std::unique_ptr<BatchBinder> binder = take_binder();
  binder->bind(batch, to.rows);
  to.weights = batch.weights;
  const std::lock_guard lock(takes_);
  binders_.push_back(std::move(binder));
  return {};
}

}  // namespace vecc::cpu
