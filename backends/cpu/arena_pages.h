// Which pages of an arena batches have written: only those take memory.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/cpu/bound_plan.h"
#include "src/batch/batch_plan.h"
#include "src/batch/batch_rows.h"

namespace vecc::cpu {

/// Of an arena of more than `kept` bytes; of others it counts nothing, and all of it may stay.
class ArenaPages {
 public:
  /// `bound` is batch.plan, bound; both must outlive this.
  ArenaPages(const BatchPlan& batch, const BoundPlan& bound, std::uint64_t kept);

  /// Before the batch runs: gives back what batches before have left, if there would be more than
  /// `kept` bytes of it. What a batch reads and does not compute it sets to 0, so nothing is lost.
  void make_room(const BatchRows& rows);
  /// What the arena takes now.
  [[nodiscard]] std::uint64_t bytes() const {
    return counts_ ? page_count_ * kPage : arena_.bytes();
  }

 private:
  static constexpr std::uint64_t kPage = 4096;

  const BatchPlan& batch_;
  const BoundPlan& bound_;
  NativeBlock arena_;
  std::uint64_t kept_;
  bool counts_;
  std::vector<bool> is_written_;  // by page
  std::uint64_t page_count_ = 0;  // that are written
};

}  // namespace vecc::cpu
