// A Program as reorder-linear looks at it: factors of products, and what else needs them.
#pragma once

#include <cstdint>
#include <vector>

#include "optimizer/rewrite/source_rows.h"
#include "vecc/program.h"

namespace vecc::opt {

/// One side of a linear, through the gathers that make it: row i is row rows[i] of `source`.
struct Factor {
  ValueId source = 0;
  Index rows;
  bool transposed = false;
  Shape shape;  ///< after the transpose

  /// A product of this side's rows `at[i]`.
  [[nodiscard]] Factor at(const Index& at) const;
};

class ProductView {
 public:
  /// `program` must fit SourceRows and outlive this. `fuses_maps`: as counted_work() has it. Linear
  /// in the Program's rows.
  ProductView(const Program& program, bool fuses_maps);

  [[nodiscard]] const Program& program() const { return program_; }
  /// Whether it is for what waits for products, and computes what only maps read where they do.
  [[nodiscard]] bool fuses_maps() const { return fuses_maps_; }
  /// Operand 0 or 1 of a linear without lifts.
  [[nodiscard]] Factor factor(ValueId linear, std::size_t side) const;
  /// By row of `value`: its number; the same row has one number wherever it is read.
  [[nodiscard]] SourceRows::View numbers(ValueId value) const { return sources_.of(value); }
  /// The value, no gather or concat, and its row that a number stands for.
  [[nodiscard]] SourceRows::Source source(std::uint32_t number) const {
    return sources_.source(number);
  }
  /// One more than the largest number.
  [[nodiscard]] std::uint32_t number_count() const { return sources_.size(); }
  /// The numbers of a value that is no gather are first_number() and the number_bound() - 1 that
  /// follow it; of a concat, any of them.
  [[nodiscard]] std::uint32_t first_number(ValueId value) const {
    return is_source(value) ? sources_.of(value)[0] : 0;
  }
  [[nodiscard]] std::uint32_t number_bound(ValueId value) const {
    return is_source(value) ? program_.op(value).rows : sources_.size();
  }
  [[nodiscard]] bool is_constant(ValueId value) const { return constant_[value]; }
  /// Whether row `row` of a linear or segment is read by no op but `reader`.
  [[nodiscard]] bool is_only_read_by(ValueId source, std::uint32_t row, ValueId reader) const {
    return reader_[source][row] == reader;
  }
  /// The number of such rows.
  [[nodiscard]] std::uint64_t rows_only_read_by(ValueId source, ValueId reader) const;
  /// By segment of a `segment` op: whether it has a member that no other one has, nor itself twice.
  /// False for all where the members are few rows of a large value.
  [[nodiscard]] std::vector<std::uint8_t> with_own_member(ValueId segment) const;

 private:
  [[nodiscard]] bool is_source(ValueId value) const {
    return program_.op(value).kind() != OpKind::Concat;
  }
  void note_reader(ValueId value, ValueId reader);

  const Program& program_;
  bool fuses_maps_;
  SourceRows sources_;
  std::vector<bool> constant_;
  // By linear and segment, by row: the op that reads it, or kNoValue for none or several.
  std::vector<std::vector<ValueId>> reader_;
};

/// One side of pairs of rows: the rows, and what tells them apart.
struct PairSide {
  Index rows;
  SourceRows::View numbers;  ///< by default a row is its own number
};
/// Distinct pairs of rows, in the order in which they first come: one product each.
class PairRows {
 public:
  /// The number of each pair. Called once.
  std::vector<std::uint32_t> number_all(const PairSide& left, const PairSide& right);
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(left_.size()); }
  /// By pair: the first left (right) row that it came with.
  [[nodiscard]] const std::vector<std::uint32_t>& left() const { return left_; }
  [[nodiscard]] const std::vector<std::uint32_t>& right() const { return right_; }

 private:
  std::vector<std::uint32_t> left_;
  std::vector<std::uint32_t> right_;
};

}  // namespace vecc::opt
