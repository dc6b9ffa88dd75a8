// Which buffers of a Program that runs batch by batch are 0, or infinite, but for a batch: the
// weights of samples and members, and what is made of them.
#pragma once

#include <vector>

#include "src/batch/zero_nodes.h"
#include "vecc/plan.h"

namespace vecc {

class ZeroBuffers {
 public:
  /// `weights`: parameters of the plan; `reads_outputs`: the host reads what launches do not.
  ZeroBuffers(const Plan& plan, const std::vector<ParameterIndex>& weights, bool reads_outputs);

  /// By buffer: what it is but for a batch.
  [[nodiscard]] std::vector<Rest> rests() const;
  [[nodiscard]] LaunchZeros of(const Launch& launch) const;
  /// Whether members whose own loads are at rest add nothing to what the launch computes, of
  /// members it stores what is at rest then, or nothing reads, and their number is not read.
  [[nodiscard]] bool may_drop_members(const Launch& launch) const;

 private:
  // A buffer is at rest as its stores are, all alike.
  struct Buffer {
    bool is_stored = false;  // so far
    Rest rest = Rest::None;
  };

  [[nodiscard]] Rest rest_of(BufferIndex buffer) const { return buffers_[buffer].rest; }
  // By buffer: its rows are read, or outlive the run.
  [[nodiscard]] static std::vector<bool> find_read(const Plan& plan);
  bool note_stores(const Launch& launch);
  /// With of_member where one member alone has loads at rest: of no load that does not tell members
  /// apart (is_by_member()).
  [[nodiscard]] LaunchZeros zeros_of(const Launch& launch, bool of_member) const;

  const Plan& plan_;
  std::vector<Buffer> buffers_;
  std::vector<bool> is_read_;    // by buffer
  std::vector<bool> is_weight_;  // by buffer
};

}  // namespace vecc
