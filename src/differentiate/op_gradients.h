// The backward rule of every op: from the gradient of a result to what its operands get.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "src/differentiate/gradient_sum.h"
#include "vecc/program.h"

namespace vecc::autodiff {

/// Appends the backward ops of one op after the other, from the last to the first.
class OpGradients {
 public:
  OpGradients(Program& program, GradientSum& sums)
      : program_(program), sums_(sums), transposed_(program.ops().size()) {}

  /// `g` is the gradient by `id`, which is on the path. Not of ops without a derivative.
  void pass_on(ValueId id, ValueId g);
  /// The same where g is read from another gradient, without that read; false if the op needs g.
  [[nodiscard]] bool pass_read(ValueId id, const GradientSum::Read& read);

 private:
  void pass(const FactOp&, ValueId, ValueId) {}
  void pass(const WeightOp&, ValueId, ValueId) {}
  void pass(const StateOp&, ValueId, ValueId) {}
  void pass(const ConcatOp& concat, ValueId id, ValueId g);
  void pass(const GatherOp& gather, ValueId id, ValueId g);
  void pass(const LinearOp& linear, ValueId id, ValueId g);
  void pass(const SegmentOp& segment, ValueId id, ValueId g);
  void pass(const TransformOp& transform, ValueId id, ValueId g);
  void pass(const MapOp& map, ValueId id, ValueId g);
  void pass(const ContractOp& contract, ValueId id, ValueId g);
  void pass(const VjpOp& vjp, ValueId id, ValueId g);
  void pass(const DrawOp&, ValueId, ValueId) {}
  void pass(const TakeOp& take, ValueId id, ValueId g);
  void pass(const SumEqualOp& sum, ValueId id, ValueId g);
  void pass(const ScatterSumOp& sum, ValueId id, ValueId g);
  void pass(const UpdateOp& update, ValueId id, ValueId g);
  void pass(const OutputOp& output, ValueId id, ValueId g);

  [[nodiscard]] ValueId added(OpAttributes attributes, Operands operands);

  // One operand of a linear, as the product reads it.
  struct Side {
    ValueId value = 0;
    bool transposed = false;
    Lift lift;
    Shape shape;  // after the transpose

    [[nodiscard]] Shape own_shape() const { return transposed ? shape.transposed() : shape; }
  };
  [[nodiscard]] Side side_of(const LinearOp& linear, ValueId id, std::size_t k) const;
  void pass_product(const Side& own, const Side& other, bool is_left, ValueId g);
  void pass_contract(const Side& own, const Side& other, bool is_left, ValueId g);
  [[nodiscard]] ValueId dot(const Side& other, ValueId g);
  [[nodiscard]] ValueId product(const Side& own, const Side& other, bool is_left, ValueId g);
  /// Whether two rows of the product read one row of the operand.
  [[nodiscard]] bool is_shared(const Side& side);
  /// The value that a side reads through gathers, and which of its rows.
  struct Read {
    ValueId source = 0;
    Index rows;
  };
  [[nodiscard]] Read read_of(const Side& side) const;
  /// Numbers the rows that an index reads, in the order of their first occurrence.
  struct DistinctRows {
    Index numbers;
    Index rows;
  };
  [[nodiscard]] DistinctRows number_rows(const Index& index);
  /// All rows of a side, in order, without a lift; with `flip` each transposed.
  [[nodiscard]] ValueId unlifted(const Side& side, bool flip);
  /// What backward ops read in the place of a forward value: a gather's rows are read again.
  [[nodiscard]] ValueId reread(ValueId value);
  /// Each row transposed.
  [[nodiscard]] ValueId transpose(ValueId value);
  [[nodiscard]] ValueId reshape(ValueId value, Shape shape);
  /// The gradient that it adds to what the vjp is by.
  ValueId append_vjp(VjpOp vjp, ValueId id, ValueId g);

  Program& program_;
  GradientSum& sums_;
  Note note_;                                             // of the op whose rule is applied
  std::vector<std::optional<ValueId>> transposed_;        // by forward value
  boost::unordered_flat_map<ValueId, ValueId> row_sums_;  // by gradient: the sum of its rows
  // By gradient, members and dimension: the sums of regular readers (biases by type of one sum).
  boost::unordered_flat_map<std::tuple<ValueId, std::uint32_t, std::uint32_t>, ValueId>
      reader_sums_;
  // By row of what is read: scratch, whose entries are of one call only.
  std::vector<std::uint32_t> seen_;  // the last call that saw the row
  std::uint32_t calls_ = 0;
  std::vector<std::uint32_t> type_of_row_;  // 0 between calls
};

}  // namespace vecc::autodiff
