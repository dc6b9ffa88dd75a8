// What ops read when they run: where one reads past a gather or a scaling (fused_sums.h,
// grouped_linears.h), the op between is not run, unless another op needs it.
#pragma once

#include <span>
#include <vector>

#include "backends/torch/fused_sums.h"
#include "backends/torch/grouped_linears.h"
#include "vecc/program.h"

namespace vecc::libtorch {

struct FusingOptions {
  bool fuse = true;  ///< false: every op reads its operands
  bool cuda = false;
  std::span<const ValueId> kept = {};  ///< values that the host reads after the run
};

class FusedReads {
 public:
  /// Keeps a reference to `program`.
  FusedReads(const Program& program, const FusingOptions& options);

  [[nodiscard]] const FusedSums& sums() const { return sums_; }
  [[nodiscard]] const GroupedLinears& linears() const { return linears_; }

  /// The op is read by nothing but ops that read past it, or by ops that are skipped themselves.
  [[nodiscard]] bool is_skipped(ValueId op) const { return skipped_[op]; }
  /// What an op reads when it runs; nothing if it is skipped.
  [[nodiscard]] Operands operands(ValueId op) const;

  /// A grouped linear's rows stay at the positions of its batches: its only reader reads rows by
  /// number, and finds them there.
  [[nodiscard]] bool stays_in_batches(ValueId linear) const { return in_batches_[linear]; }
  /// `plan` over the rows of a value as they are stored.
  [[nodiscard]] RowSumPlan as_stored(RowSumPlan plan, ValueId value) const;

 private:
  void skip_unread(std::span<const ValueId> kept);
  void find_rows_in_batches(std::span<const ValueId> kept);

  const Program& program_;
  FusedSums sums_;
  GroupedLinears linears_;
  std::vector<bool> skipped_;     // by value
  std::vector<bool> in_batches_;  // by value
};

}  // namespace vecc::libtorch
