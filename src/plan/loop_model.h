// What a GPU takes for rows of segments, by how many threads share each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "src/kernel/print_cuda.h"
#include "src/plan/row_cost.h"
#include "vecc/target.h"

namespace vecc {

/// Rows of about the same length.
struct RowClass {
  std::uint32_t rows = 0;
  std::uint64_t members = 0;
  std::uint32_t longest = 0;
  bool are_long = false;  ///< others are not

  void add(std::uint32_t length, std::uint32_t count = 1) {
    rows += count;
    members += std::uint64_t{length} * count;
    longest = std::max(longest, length);
  }
  void add(const RowClass& other) {
    rows += other.rows;
    members += other.members;
    longest = std::max(longest, other.longest);
  }
};
[[nodiscard]] RowClass sum_of(std::span<const RowClass> classes);

/// What rows take, in cycles: what processors begin, and the longest row.
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

/// The model for the rows of a kernel's launch, in a layout, on a GPU.
class LoopModel {
 public:
  /// Groups of lanes that share a row's members, and what joining their sums takes.
  struct Choice {
    std::uint32_t slots = 1;
    double join = 0;
  };

  LoopModel(const Kernel& kernel, const CudaLayout& layout, const Target& target);

  [[nodiscard]] std::uint32_t lanes() const { return layout_.lanes; }
  [[nodiscard]] std::uint32_t threads() const { return layout_.threads; }
  /// By slots, fewest first.
  [[nodiscard]] std::span<const Choice> choices() const { return choices_; }
  [[nodiscard]] const Choice& best_of(const RowClass& rows) const;
  /// With as many members under way as most rows have; of long rows, which others wait for, as the
  /// longest.
  [[nodiscard]] MemberLoop loop_of(const RowClass& rows, const Choice& choice) const;
  [[nodiscard]] Cycles cycles_of(const RowClass& rows, const Choice& choice) const;

 private:
  CudaLayout layout_;
  RowCost cost_;
  LoopTimes times_;
  double processors_;
  std::uint32_t lane_slots_;  // lanes of a row that take members of their own
  bool is_scattered_;
  std::uint32_t most_;  // members under way
  std::vector<Choice> choices_;
};

}  // namespace vecc
