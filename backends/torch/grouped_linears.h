// Products with a matrix by type: which `linear` reads its matrices straight from where a gather
// would copy one for each row, so that those copies need not exist.
//
//     %2 = gather %0 [7, 0, 7]                  %4 = rows of %1 sorted by type, then one product a
//     %3 = gather %1 [3, 5, 3]             =>        batch of types (row_groups.h): row 0 is
//     %4 = linear %2, %3                             %0's row 7 times %1's row 3
//
// A gather goes if no other op reads it. The matrices may stand on either side, both sides may be
// transposed and lifted.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/torch/row_groups.h"
#include "vecc/program.h"

namespace vecc::libtorch {

/// What a grouped linear reads.
struct GroupedLinear {
  std::uint32_t side = 0;  ///< which of its operands has the matrices: a gather
  ValueId matrices = 0;    ///< what that gather reads; a row is a type
  ValueId inputs = 0;      ///< the other operand, or, if that is a gather that goes, what it reads
  bool gathers_inputs = false;
};

/// Elements that the two ways write and read.
struct GroupedLinearSize {
  std::uint64_t reads = 0;   ///< rows of the gather: matrices, were they written
  std::uint64_t matrix = 0;  ///< elements of a matrix, of a row of the other operand, of a result
  std::uint64_t input = 0;
  std::uint64_t result = 0;
  RowGroupCounts groups;
  bool cuda = false;
};
/// Elements that grouping saves, or a negative number: every matrix that a gather copies is written
/// and read (and so are the outer products of its gradient); grouped, every type's matrix is, every
/// row that is sorted and every result that is put back in order, and each batch is a launch.
[[nodiscard]] std::int64_t grouping_gain(const GroupedLinearSize& size);

class GroupedLinears {
 public:
  /// `group` = false: none.
  GroupedLinears(const Program& program, bool group, bool cuda);

  [[nodiscard]] bool is_grouped(ValueId linear) const { return grouped_[linear].side != kNone; }
  /// Of a grouped linear, as all below.
  [[nodiscard]] const GroupedLinear& at(ValueId linear) const { return grouped_[linear]; }
  /// Its rows by the row of `matrices` that they read.
  [[nodiscard]] RowGroups groups(ValueId linear) const;
  /// The row of `inputs` that each row reads.
  [[nodiscard]] std::vector<std::uint32_t> input_rows(ValueId linear) const;

 private:
  static constexpr std::uint32_t kNone = 2;
  [[nodiscard]] bool may_group(ValueId linear, std::uint32_t side,
                               const std::vector<std::uint32_t>& readers) const;
  [[nodiscard]] std::int64_t gain(ValueId linear, std::uint32_t side, bool cuda) const;
  // The row of what an operand, a gather if `gathered`, reads behind each row of the linear.
  [[nodiscard]] std::vector<std::uint32_t> rows_read(ValueId linear, std::uint32_t side,
                                                     bool gathered) const;

  const Program& program_;
  std::vector<GroupedLinear> grouped_;  // by value
};

}  // namespace vecc::libtorch
