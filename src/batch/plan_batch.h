// A batch that is bound to a BatchPlan: what native backends run.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "src/batch/batch_rows.h"
#include "src/batch/binder_pool.h"

namespace vecc {

class PlanBatch final : public BoundBatch {
 public:
  /// With room for any batch of the plan, which must outlive it; `number_bytes`: of a number in its
  /// buffers.
  PlanBatch(const BatchPlan& plan, std::uint64_t number_bytes);

  /// Null: no batch, or one of another plan.
  [[nodiscard]] static const PlanBatch* find(const BatchPlan& plan, const BoundBatch* batch);
  /// Makes `to` that batch of the plan; one of another is replaced. `binders` are the plan's. May
  /// be called on several threads. Error: Usage (check_batch()).
  [[nodiscard]] static Result<const PlanBatch*> bind(const BatchPlan& plan,
                                                     std::uint64_t number_bytes,
                                                     BinderPool& binders, const Batch& batch,
                                                     std::unique_ptr<BoundBatch>& to);

  /// What a batch that is made elsewhere is found by; must outlive it.
  struct Origin {
    const WeightReach* reach = nullptr;  ///< that of the plan; null: it is searched
    const BatchDraws* draws = nullptr;   ///< that draw its members, if it leaves them
  };
  /// The same without rows().
  [[nodiscard]] static Result<void> keep(const BatchPlan& plan, std::uint64_t number_bytes,
                                         const Origin& origin, const Batch& batch,
                                         std::unique_ptr<BoundBatch>& to);

  [[nodiscard]] bool has_rows() const { return has_rows_; }
  [[nodiscard]] const BatchRows& rows() const { return rows_; }
  /// By BatchOptions::weights.
  [[nodiscard]] const std::vector<Batch::Weights>& weights() const { return weights_; }
  /// Whose outputs it computes.
  [[nodiscard]] const std::vector<std::uint32_t>& samples() const { return samples_; }

  /// What it draws where it runs; none: weights() has all.
  [[nodiscard]] const std::optional<Batch::Draw>& draw() const { return draw_; }
  /// With all weights.
  [[nodiscard]] Batch whole() const;

  [[nodiscard]] std::unique_ptr<BoundBatch> copy() const override {
    return std::make_unique<PlanBatch>(*this);
  }
  [[nodiscard]] std::uint64_t bytes() const override {
    return rows_.bytes() + bytes_of(std::span<const Batch::Weights>(weights_)) +
           (samples_.size() + (draw_ ? draw_->samples.size() : 0)) * sizeof(std::uint32_t);
  }
  /// Binds it, where it has no rows.
  [[nodiscard]] BatchBytes step_bytes() const override;

 private:
  [[nodiscard]] static PlanBatch& of(const BatchPlan& plan, std::uint64_t number_bytes,
                                     const Batch& batch, std::unique_ptr<BoundBatch>& to);

  const BatchPlan* plan_;
  std::uint64_t number_bytes_;
  BatchRows rows_;
  bool has_rows_ = true;
  Origin origin_;  // without rows_
  std::vector<Batch::Weights> weights_;
  std::vector<std::uint32_t> samples_;
  std::optional<Batch::Draw> draw_;
};

}  // namespace vecc
