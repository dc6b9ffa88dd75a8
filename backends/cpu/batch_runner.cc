#include "backends/cpu/batch_runner.h"

#include <utility>

namespace vecc::cpu {

BatchRunner::BatchRunner(BatchPlan batch, const BoundPlan& bound, std::shared_ptr<ThreadTeam> team,
                         std::uint64_t kept_bytes)
    : batch_(std::move(batch)),
      binders_(batch_),
      walk_(batch_, bound, team->size()),
      pages_(batch_, bound, kept_bytes),
      number_bytes_(byte_size(bound.plan().dtype)),
      team_(std::move(team)) {}

Result<void> BatchRunner::bind(const Batch& batch, std::unique_ptr<BoundBatch>& to) {
  VECC_TRY(const PlanBatch* const bound,
           PlanBatch::bind(batch_, number_bytes_, binders_, batch, to));
  const std::uint64_t values = bound->rows().value_count;
  std::uint64_t expected = expected_values_;
  while (expected < values && !expected_values_.compare_exchange_weak(expected, values)) {
  }
  return {};
}

}  // namespace vecc::cpu
