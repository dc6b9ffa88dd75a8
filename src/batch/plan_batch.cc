#include "src/batch/plan_batch.h"

#include "src/batch/check_batch.h"

namespace vecc {

PlanBatch::PlanBatch(const BatchPlan& plan, std::uint64_t number_bytes)
    : plan_(&plan), number_bytes_(number_bytes) {
  rows_.reserve(plan);
}

const PlanBatch* PlanBatch::find(const BatchPlan& plan, const BoundBatch* batch) {
  const auto* const found = dynamic_cast<const PlanBatch*>(batch);
  return found != nullptr && found->plan_ == &plan ? found : nullptr;
}

Result<const PlanBatch*> PlanBatch::bind(const BatchPlan& plan, std::uint64_t number_bytes,
                                         BinderPool& binders, const Batch& batch,
                                         std::unique_ptr<BoundBatch>& to) {
  VECC_TRY_VOID(check_batch(plan, batch));
  if (find(plan, to.get()) == nullptr) to = std::make_unique<PlanBatch>(plan, number_bytes);
  auto& own = static_cast<PlanBatch&>(*to);
  binders.bind(batch, own.rows_);
  own.weights_ = batch.weights;
  own.samples_ = batch.samples;
  return &own;
}

}  // namespace vecc
