// The distinct members of each segment, and how often each occurs in it.
#pragma once

#include <cstdint>
#include <vector>

#include "optimizer/rewrite/row_classes.h"
#include "vecc/program.h"

namespace vecc::opt {

struct DistinctMembers {
  std::vector<std::uint32_t> rows;     ///< of the operand: the first of each class, by segment
  std::vector<std::uint32_t> counts;   ///< by entry of `rows`
  std::vector<std::uint32_t> lengths;  ///< by segment: its entries of `rows`
};

/// Finds them segment by segment; linear in the members.
class DistinctMemberFinder {
 public:
  /// `classes` are `program`'s; both outlive this.
  DistinctMemberFinder(const Program& program, const RowClasses& classes)
      : program_(program), classes_(classes) {}
  /// How many rows find() would have.
  [[nodiscard]] std::uint64_t count(ValueId id);
  /// Of the `segment` op `id`.
  [[nodiscard]] DistinctMembers find(ValueId id);

 private:
  const Program& program_;
  const RowClasses& classes_;
  std::vector<std::uint32_t>
      entry_;  // by class: 1 + its entry in `rows`; may be of another segment
};

}  // namespace vecc::opt
