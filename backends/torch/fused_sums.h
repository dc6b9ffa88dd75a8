// Sums over gathered rows: which `segment sum` and `avg` read their members straight from where a
// gather would copy them from, so that the gathered rows need not exist.
//
//     %2 = gather %1 [3, 0, 0]                 %4 = sums over [0, 1, 3] of rows [3, 0, 0] of %1
//     %4 = segment %2 [0, 1, 3] sum       =>
//
//     %2 = gather %1 [3, 0, 0]                 %4 = the same, each row times its factor
//     %3 = linear %0, %2   (%0 = fact)    =>
//     %4 = segment %3 [0, 1, 3] sum
//
// Exact about other readers: an op that anything but the segment needs is run as it stands.
#pragma once

#include <cstdint>
#include <vector>

#include "vecc/program.h"

namespace vecc::libtorch {

/// Sums of some rows of a value: segment s adds, in this order, rows[e] of `source` times
/// factors[e], e = offsets[s] .. offsets[s + 1] - 1.
struct RowSumPlan {
  std::vector<std::uint32_t> offsets;
  std::vector<std::uint32_t> rows;  ///< empty: e itself
  std::vector<double> factors;      ///< empty: all 1
  std::uint32_t source_rows = 0;
};

class FusedSums {
 public:
  /// `fuse` = false: no op is fused.
  FusedSums(const Program& program, bool fuse);

  /// Whether a segment reads past its operand: rows of source() by plan().
  [[nodiscard]] bool is_fused(ValueId segment) const { return members_[segment].source != kNone; }
  /// Of a fused segment.
  [[nodiscard]] ValueId source(ValueId segment) const { return members_[segment].source; }
  [[nodiscard]] RowSumPlan plan(ValueId segment) const;

 private:
  static constexpr ValueId kNone = 0xFFFFFFFF;
  // How a segment's members come from `source`: through a gather, a scaling, or both.
  struct Members {
    ValueId source = kNone;
    ValueId gather = kNone;
    ValueId scaling = kNone;    // a linear
    std::uint32_t factors = 0;  // its operand that holds the factors
  };
  [[nodiscard]] Members find_members(ValueId segment,
                                     const std::vector<std::uint32_t>& readers) const;
  [[nodiscard]] bool are_factors(ValueId linear, std::uint32_t side) const;
  [[nodiscard]] std::vector<double> factors(const Members& members) const;

  const Program& program_;
  std::vector<Members> members_;  // by value
};

/// The gather of an op that reads a list of rows; else null.
[[nodiscard]] const GatherOp* list_gather(const Op& op);

/// Row i alone is rows[i] of the source: a gather.
[[nodiscard]] RowSumPlan plan_gather(const Index& index, std::uint32_t source_rows);
/// The sums of ragged segments over all rows of their operand.
[[nodiscard]] RowSumPlan plan_ragged_sum(const Segments& segments);

}  // namespace vecc::libtorch
