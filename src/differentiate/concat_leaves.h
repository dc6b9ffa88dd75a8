// What the rows of a concat are, through concats of concats.
//
//   %2 = concat %0, %1 : f32[5, 1] ; %4 = concat %2, %3 : f32[9, 1]
//
// %4 is the *root* that %2 stands in, at row 0; its leaves are %0, %1 and %3 at rows 0, 3 and 5. So
// a row of any level of a recursion, each a concat of all before it and its own rows, is found
// without a walk through the levels.
#pragma once

#include <cstdint>
#include <vector>

#include "vecc/program.h"

namespace vecc::autodiff {

class ConcatLeaves {
 public:
  /// Linear in the operands of concats. Ops that are appended later are not looked at.
  explicit ConcatLeaves(const Program& program);

  struct Leaf {
    ValueId value = 0;
    std::uint32_t first_row = 0;
    std::uint32_t end_row = 0;
  };
  /// Rows of one concat: those of its root from first_row on.
  class View {
   public:
    /// The leaf that holds row `row` of the concat; `hint` is the place of the last one found.
    [[nodiscard]] const Leaf& find(std::uint32_t row, std::size_t& hint) const;
    /// The concat's first row in its root.
    [[nodiscard]] std::uint32_t first_row() const { return first_row_; }

   private:
    friend class ConcatLeaves;
    const std::vector<Leaf>* leaves_ = nullptr;
    std::uint32_t first_row_ = 0;
  };
  [[nodiscard]] View of(ValueId concat);

  /// Values that stand in one concat, or in concats with a value in common, have one family.
  [[nodiscard]] ValueId family(ValueId value);

 private:
  void find_leaves(ValueId root);

  struct Place {
    ValueId root = 0;
    std::uint32_t first_row = 0;
  };
  const Program& program_;
  std::vector<Place> places_;              // by value
  std::vector<std::vector<Leaf>> leaves_;  // by root; found when asked for
  std::vector<ValueId> family_;            // by value: another one of its family, or itself
};

}  // namespace vecc::autodiff
