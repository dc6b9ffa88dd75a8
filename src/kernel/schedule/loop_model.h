// What a GPU takes for rows of segments, by how many threads share each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "src/kernel/schedule/lanes.h"
#include "src/kernel/schedule/row_cost.h"
#include "src/kernel/schedule/row_sizes.h"
#include "vecc/target.h"

namespace vecc {

/// What rows take, in cycles: what multiprocessors begin, and the longest row.
struct Cycles {
  double begun = 0;
  double longest = 0;

  /// Squared: others hide some. (No root: that may differ from one machine to the next, and then
  /// the order of sums.)
  [[nodiscard]] double sum() const { return begun * begun + longest * longest; }
  /// Of two classes of rows that run beside one another.
  [[nodiscard]] Cycles beside(const Cycles& other) const {
    return {begun + other.begun, std::max(longest, other.longest)};
  }
};

/// The model for the rows of a kernel's launch, of which so many lanes share each.
class LoopModel {
 public:
  /// Groups of lanes that share a row's members, and what joining their sums takes.
  struct Choice {
    std::uint32_t slots = 1;
    double join = 0;
  };

  LoopModel(const Kernel& kernel, const LaneChoices& choices, const MemberLoops& loops,
            const Target& target);

  /// Lanes, threads and parts: what all classes of rows have in common.
  [[nodiscard]] const MemberLoops& loops() const { return loops_; }
  /// By slots, fewest first.
  [[nodiscard]] std::span<const Choice> choices() const { return choices_; }
  [[nodiscard]] const Choice& best_of(const RowClass& rows) const;
  /// With as many members in flight as most rows have; of long rows, which others wait for, as the
  /// longest.
  [[nodiscard]] MemberLoop loop_of(const RowClass& rows, const Choice& choice) const;
  [[nodiscard]] Cycles cycles_of(const RowClass& rows, const Choice& choice) const;

 private:
  // Groups of lanes that a block has for one row.
  [[nodiscard]] std::uint32_t block_slots() const;

  MemberLoops loops_;
  bool shares_members_;
  RowCost cost_;
  LoopTimes times_;
  double multiprocessors_;
  std::uint32_t lane_slots_;  // lanes of a row that take members of their own
  bool is_scattered_;
  std::uint32_t most_;  // members in flight
  std::vector<Choice> choices_;
};

}  // namespace vecc
