// Which rows of a Program are equal whatever its weights are, as far as their operands tell: rows
// of one op over equal rows (and, of a segment, over equal members: in any order where the function
// does not mind it). Exact: lists of operands are compared, not hashes of them.
//
//   %0 = fact {5, 6} ; %1 = gather %0 [0, 1, 0]                 classes 0, 1 ; 0, 1, 0
//   %2 = transform %1 tanh                                      2, 3, 2
//   %3 = gather %2 [0, 1, 1, 2] ; %4 = segment %3 [0, 2, 4] sum   2, 3, 3, 2 ; 5, 5
//
// Rows of one fact are equal only where they are units (dedup-facts makes equal facts one row);
// rows of different ops are equal only where both are units or read one parameter.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "optimizer/rewrite/doubtful_values.h"
#include "optimizer/rewrite/source_rows.h"
#include "src/support/prefetch.h"
#include "vecc/program.h"

namespace vecc::opt {

class RowClasses {
 public:
  /// Linear in the rows and members of all ops (times log of the largest segment that others may be
  /// equal to); `program` must fit SourceRows. By threads (ListThreads). `told_apart`: of each
  /// value that makes_new_rows(), no two rows are equal; then products have classes only where a
  /// segment or a concat reads them, also behind gathers and products.
  explicit RowClasses(const Program& program, bool told_apart = false);
  /// The same, or none once the rows that are different (of gathers, concats and outputs none
  /// counts) have more than `most` elements: classes are not sought after that.
  [[nodiscard]] static std::optional<RowClasses> of_few(const Program& program, std::uint64_t most);

  class View {
   public:
    View(SourceRows::View rows, const std::vector<std::uint32_t>& classes)
        : rows_(rows), classes_(&classes) {}
    [[nodiscard]] std::uint32_t operator[](std::uint32_t row) const {
      return (*classes_)[rows_[row]];
    }
    /// Of a row that is asked for soon.
    void prefetch(std::uint32_t row) const { prefetch_memory(&(*classes_)[rows_[row]]); }

   private:
    SourceRows::View rows_;
    const std::vector<std::uint32_t>* classes_;
  };
  /// By row of `value`: its class, the source number (source_rows.h) of the first row equal to it.
  [[nodiscard]] View of(ValueId value) const { return {sources_.of(value), classes_}; }
  /// Whether no two rows of a value are equal, as was said.
  [[nodiscard]] bool are_told_apart(ValueId value) const {
    return !told_apart_.empty() && told_apart_[value];
  }
  /// One more than the largest class.
  [[nodiscard]] std::uint32_t size() const { return sources_.size(); }

 private:
  class Builder;
  explicit RowClasses(SourceRows sources);

  SourceRows sources_;
  std::vector<std::uint32_t> classes_;  // by source number
  std::vector<bool> told_apart_;        // by value; empty: none is
};

/// Transforms, maps, their derivatives row by row, and segments that reduce: values of which
/// iso-compress leaves no two equal rows.
[[nodiscard]] bool makes_new_rows(const Program& program, ValueId value);

/// Whether the members of a segment over rows of `member`, all of them numbers, may stand in any
/// order.
[[nodiscard]] bool is_order_free(Combination combination, Shape member);
/// The same of a `segment` of `program`, whose members may be NaN.
[[nodiscard]] bool is_order_free(const Program& program, ValueId segment, DoubtfulValues& doubtful);

}  // namespace vecc::opt
