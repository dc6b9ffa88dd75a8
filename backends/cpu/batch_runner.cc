#include "backends/cpu/batch_runner.h"

#include <algorithm>
#include <string>
#include <utility>

namespace vecc::cpu {

BatchRunner::BatchRunner(BatchPlan batch, const BoundPlan& bound, std::shared_ptr<ThreadTeam> team)
    : batch_(std::move(batch)),
      binder_(batch_),
      walk_(batch_, bound, team->size()),
      team_(std::move(team)) {}

Result<void> BatchRunner::check(const Batch& batch) const {
  const auto error = [](std::string text) {
    return Errors(ErrorCode::Usage, "batch", std::move(text));
  };
  if (batch.weights.size() != batch_.weights.size()) {
    return error("weights of " + std::to_string(batch.weights.size()) + " parameters, expected " +
                 std::to_string(batch_.weights.size()));
  }
  for (std::size_t w = 0; w < batch.weights.size(); ++w) {
    const std::vector<std::uint32_t>& rows = batch.weights[w].rows;
    const std::vector<double>& values = batch.weights[w].values;
    if (values.size() != rows.size()) return error("another number of weights than of rows");
    const bool rises = std::ranges::adjacent_find(rows, std::ranges::greater_equal()) == rows.end();
    const auto fits = [&](BufferIndex b) {
      return rows.empty() || rows.back() < batch_.unit_counts[b] * batch_.units[b];
    };
    if (!rises || !std::ranges::all_of(batch_.weights[w], fits)) {
      return error("rows of weights that do not rise, or are not there");
    }
  }
  return {};
}

std::unique_ptr<CpuBatch> BatchRunner::make_batch() const {
  auto batch = std::make_unique<CpuBatch>();
  batch->rows.reserve(batch_);
  return batch;
}

Result<void> BatchRunner::bind(const Batch& batch, CpuBatch& to) {
  VECC_TRY_VOID(check(batch));
  const std::lock_guard lock(binds_);
  binder_.bind(batch, to.rows);
  to.weights = batch.weights;
  return {};
}

}  // namespace vecc::cpu
