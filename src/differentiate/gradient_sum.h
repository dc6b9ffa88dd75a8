// The gradients of all values while the backward pass is appended: what readers contribute, and the
// sums of that.
//
// A reader of whole rows adds a value of the same rows; a gather adds some rows of one value to
// some rows of another. Gathers are never added one by one: at the end their rows are read through
// one index and summed by one segment op, so a sum takes time in what is read, not in the rows of
// what it is read from. Readers of concats, such as the levels of a recursion, add to the rows that
// the concats are made of, and the values that they add stand in one growing concat.
#pragma once

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/differentiate/concat_leaves.h"
#include "vecc/program.h"

namespace vecc::autodiff {

class GradientSum {
 public:
  /// `path`: by value, whether its gradient is wanted; others are dropped.
  GradientSum(Program& program, std::vector<bool> path);

  [[nodiscard]] bool wants(ValueId value) const { return path_[value]; }
  /// Adds `gradient`, of the rows and shape of `value`.
  void add(ValueId value, ValueId gradient);
  /// Adds row read.rows[i] of `read.gradient` to row i of `value`, for all its rows.
  struct Read {
    ValueId gradient = 0;
    Index rows;
  };
  void add_read(ValueId value, Read read);
  /// Adds `gradient` to the entries of each row of `value` that `slice`, a vjp of a slice with the
  /// same words for all rows, puts it to.
  void add_slice(ValueId value, VjpOp slice, ValueId gradient);
  /// Adds row k of `gradient` (of what is read of it) to row rows[k] of `value`.
  void add_rows(ValueId value, ValueId gradient, const Index& rows);
  void add_rows(ValueId value, const Read& read, const Index& rows);
  /// What was added, if that is one read of another gradient: its rows are then needed by nothing
  /// but a gather or concat, which passes the read on.
  [[nodiscard]] const Read* sole_read(ValueId value) const;
  /// The sum of what was added; none if nothing was. Of a concat, of what was added whole: its rows
  /// go to add_rows() of its operands then.
  [[nodiscard]] Result<std::optional<ValueId>> sum(ValueId value, const Note& note);
  /// The sum of values of one size; at least one.
  [[nodiscard]] Result<ValueId> sum_whole(const std::vector<ValueId>& terms, const Note& note);

 private:
  // Row positions[k] of `gradient` is added to row rows[k].
  struct Rows {
    ValueId gradient = 0;
    std::vector<std::uint32_t> positions;
    std::vector<std::uint32_t> rows;
  };
  struct Slice {
    VjpOp vjp;
    ValueId gradient = 0;
    std::uint32_t begin = 0;  // of the row's rows
    std::uint32_t end = 0;
    bool is_whole = false;  // all columns of these
  };
  // The gradients that were added to values of one family, one after another.
  struct Buffer {
    std::optional<ValueId> value;
    std::uint64_t rows = 0;
    boost::unordered_flat_map<ValueId, std::uint32_t> first_row;  // by gradient
  };

  void add_to_leaf(ValueId leaf, ValueId gradient, std::uint32_t position, std::uint32_t row);
  /// Where rows of `leaf` that `gradient` holds are added.
  [[nodiscard]] Rows& part_of(ValueId leaf, ValueId gradient);
  /// One value with the rows of all parts; their positions become those in it.
  [[nodiscard]] Result<ValueId> join(ValueId value, std::vector<Rows>& parts, const Note& note);
  void read_few(Rows& part, const Note& note);
  /// Appends to `terms` what was added to slices of the value's rows.
  [[nodiscard]] Result<void> sum_slices(ValueId value, const Note& note,
                                        std::vector<ValueId>& terms);
  /// Those of `parts` that are summed by themselves.
  [[nodiscard]] std::vector<Rows> take_functions(ValueId value, std::vector<Rows>& parts);
  [[nodiscard]] Result<ValueId> sum_rows(ValueId value, std::vector<Rows> parts, const Note& note);

  Program& program_;
  std::vector<bool> path_;
  ConcatLeaves leaves_;
  std::vector<boost::container::small_vector<ValueId, 1>> whole_;  // by value
  std::vector<boost::container::small_vector<Read, 1>> reads_;     // by value
  std::vector<std::vector<Rows>> rows_;                            // by value
  boost::unordered_flat_map<ValueId, std::vector<Slice>> slices_;  // by value
  boost::unordered_flat_map<ValueId, Buffer> buffers_;             // by family
};

}  // namespace vecc::autodiff
