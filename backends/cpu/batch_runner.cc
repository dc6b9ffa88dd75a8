#include "backends/cpu/batch_runner.h"

#include <utility>

#include "src/batch/check_batch.h"

namespace vecc::cpu {

BatchRunner::BatchRunner(BatchPlan batch, const BoundPlan& bound, std::shared_ptr<ThreadTeam> team,
                         std::uint64_t kept_bytes)
    : batch_(std::move(batch)),
      binders_(batch_),
      walk_(batch_, bound, team->size()),
      pages_(batch_, bound, kept_bytes),
      number_bytes_(byte_size(bound.plan().dtype)),
      team_(std::move(team)) {}

std::unique_ptr<CpuBatch> BatchRunner::make_batch() const {
  auto batch = std::make_unique<CpuBatch>(batch_, number_bytes_);
  batch->rows.reserve(batch_);
  return batch;
}

Result<void> BatchRunner::bind(const Batch& batch, CpuBatch& to) {
  VECC_TRY_VOID(check_batch(batch_, batch));
  binders_.bind(batch, to.rows);
  to.weights = batch.weights;
  return {};
}

}  // namespace vecc::cpu
