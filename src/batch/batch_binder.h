// From a batch to what runs of every launch.
#pragma once

#include <cstdint>
#include <optional>

#include "src/batch/batch_plan.h"
#include "src/batch/batch_rows.h"
#include "src/batch/compact_writer.h"
#include "src/batch/row_finder.h"
#include "src/batch/run_writer.h"
#include "src/batch/weight_reach.h"

namespace vecc {

/// Binds one batch after another. Takes time linear in the rows and members that a batch reaches,
/// and in the number of launches; beside the result, it allocates nothing.
///
///   launch 4: gradient[e] = weight[e] * ...                      row 7 alone is not 0
///   launch 5: g[r] = sum of gradient[e] over its readers e       of row 2: readers 3, 7, 9
///   =>
///   launch 4: rows [7]
///   launch 5: rows [2], offsets [0, 1], members [7]
class BatchBinder final : private RowSink {
 public:
  /// `reach`: that of the plan, in whose place it is searched where it is null. `numbers`: then,
  /// which launches have the same rows; null: none have. All must outlive this.
  explicit BatchBinder(const BatchPlan& plan, const WeightReach* reach = nullptr,
                       const ReachNumbers* numbers = nullptr);

  /// Replaces `result`. The batch has rows of its parameters only, rising.
  void bind(const Batch& batch, BatchRows& result);
  /// Own sets, and what batches of a compact plan took beside their results.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  void run(std::uint32_t launch, LaunchRows& rows) override { writer_.add(launch, rows, *result_); }
  void set_at_rest(std::uint32_t launch, std::uint32_t access, std::uint32_t row) override;
  void search(const Batch& batch);
  void unite(const Batch& batch);
  [[nodiscard]] LaunchRows* take(std::uint32_t launch);
  template <class Runs>
  void add_unstored(std::uint32_t launch, Runs&& runs);

  const BatchPlan& plan_;
  const WeightReach* reach_;
  std::optional<RowFinder> finder_;  // without reach_
  // With it.
  RowSet reached_;
  struct Taken {
    LaunchRows rows;
    bool is_taken = false;  // of the batch at hand
    bool runs = false;
  };
  std::vector<Taken> shared_;         // of launches that are alike
  std::vector<std::uint32_t> share_;  // by launch: of shared_; kNone: it has rows of its own
  LaunchRows rows_;                   // of one that has
  RunWriter writer_;
  // Of a compact plan:
  BatchRows spread_;                // the batch as all rows have their places
  std::uint64_t spread_bytes_ = 0;  // of the largest
  std::optional<CompactWriter> compact_;
  BatchRows* result_ = nullptr;  // of bind()
};

}  // namespace vecc
