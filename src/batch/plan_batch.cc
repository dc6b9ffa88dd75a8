#include "src/batch/plan_batch.h"

#include "src/batch/check_batch.h"

namespace vecc {

PlanBatch::PlanBatch(const BatchPlan& plan, std::uint64_t number_bytes)
    : plan_(&plan), number_bytes_(number_bytes) {
  plan.is_compact ? rows_.reserve_compact(plan) : rows_.reserve(plan);
}

const PlanBatch* PlanBatch::find(const BatchPlan& plan, const BoundBatch* batch) {
  const auto* const found = dynamic_cast<const PlanBatch*>(batch);
  return found != nullptr && found->plan_ == &plan ? found : nullptr;
}

Result<const PlanBatch*> PlanBatch::bind(const BatchPlan& plan, std::uint64_t number_bytes,
                                         BinderPool& binders, const Batch& batch,
                                         std::unique_ptr<BoundBatch>& to) {
  VECC_TRY_VOID(check_batch(plan, batch));
  PlanBatch& own = of(plan, number_bytes, batch, to);
  binders.bind(batch, own.rows_);
  own.has_rows_ = true;
  return &own;
}

Result<void> PlanBatch::keep(const BatchPlan& plan, std::uint64_t number_bytes,
                             const Origin& origin, const Batch& batch,
                             std::unique_ptr<BoundBatch>& to) {
  VECC_TRY_VOID(check_batch(plan, batch));
  PlanBatch& own = of(plan, number_bytes, batch, to);
  own.rows_.clear();
  own.has_rows_ = false;
  own.origin_ = origin;
  return {};
}

PlanBatch& PlanBatch::of(const BatchPlan& plan, std::uint64_t number_bytes, const Batch& batch,
                         std::unique_ptr<BoundBatch>& to) {
  if (find(plan, to.get()) == nullptr) to = std::make_unique<PlanBatch>(plan, number_bytes);
  auto& own = static_cast<PlanBatch&>(*to);
  own.weights_ = batch.weights;
  own.samples_ = batch.samples;
  own.draw_ = batch.draw;
  return own;
}

Batch PlanBatch::whole() const {
  Batch batch{weights_, {}, samples_};
  if (draw_) origin_.draws->on_host(*draw_, batch.weights.back());
  return batch;
}

BatchBytes PlanBatch::step_bytes() const {
  if (has_rows()) return bytes_of_step(*plan_, rows_, number_bytes_);
  BatchRows rows;
  BatchBinder(*plan_, origin_.reach).bind(whole(), rows);
  return bytes_of_step(*plan_, rows, number_bytes_);
}

}  // namespace vecc
