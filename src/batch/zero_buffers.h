// Which buffers of a step are 0 but for a batch: the weights of samples, and what is made of them.
#pragma once

#include <vector>

#include "vecc/plan.h"

namespace vecc {

/// Of a launch: what is 0 where the buffers that it reads are 0.
struct LaunchZeros {
  std::vector<bool> loads;  ///< by access: a load of a buffer that is 0 but for a batch
  std::vector<bool> given;  ///< by access: one of them of the weights themselves
  std::vector<bool> nodes;  ///< by node of its kernel: zero_nodes() of `loads`
};

class ZeroBuffers {
 public:
  /// `weights`: parameters of the plan.
  ZeroBuffers(const Plan& plan, const std::vector<ParameterIndex>& weights);

  /// By buffer.
  [[nodiscard]] const std::vector<bool>& all() const { return is_zero_; }
  [[nodiscard]] LaunchZeros of(const Launch& launch) const;
  /// Whether members whose loads are 0 add nothing to what the launch computes, and their number is
  /// not read.
  [[nodiscard]] bool may_drop_members(const Launch& launch) const;

 private:
  bool note_stores(const Launch& launch);
  [[nodiscard]] LaunchZeros zeros_of(const Launch& launch, bool of_members_only) const;

  const Plan& plan_;
  std::vector<bool> is_zero_;
  std::vector<bool> is_weight_;  // by buffer
};

}  // namespace vecc
