// The rules that make an op well formed, one function a kind: Program::add calls them.
#pragma once

#include <cstdint>
#include <string>

#include "vecc/program.h"

namespace vecc {

/// Elements of one row, at most: rows * size * 8 bytes then stays below 2^63.
inline constexpr std::uint64_t kMaxRowSize = 1ull << 28;

/// What an op makes. `rows` may be more than 32 bits hold: Program::add refuses that.
struct OpResult {
  std::uint64_t rows = 0;
  Shape shape;
};

/// An op that is being added, with the program that it is added to.
class OpContext {
 public:
  OpContext(const Program& program, OpKind kind, const Operands& operands)
      : program_(program), kind_(kind), operands_(operands) {}

  [[nodiscard]] const Program& program() const { return program_; }
  [[nodiscard]] std::size_t operand_count() const { return operands_.size(); }
  /// The op that makes operand `k`.
  [[nodiscard]] const Op& operand(std::size_t k) const { return program_.op(operands_[k]); }
  /// `%7`
  [[nodiscard]] std::string name(std::size_t k) const { return "%" + std::to_string(operands_[k]); }
  /// `%7 gather`
  [[nodiscard]] std::string place() const;
  /// IllFormedOp at this op.
  [[nodiscard]] Errors error(std::string message) const {
    return Errors(ErrorCode::IllFormedOp, place(), std::move(message));
  }
  /// `errors` of a shape rule, as IllFormedOp at this op.
  [[nodiscard]] Errors rewrap(const Errors& errors) const;
  /// Errors unless there are exactly `expected` operands.
  [[nodiscard]] Result<void> expect_operands(std::size_t expected) const;

 private:
  const Program& program_;
  OpKind kind_;
  const Operands& operands_;
};

/// `1 row`, `3 rows`
[[nodiscard]] std::string count_text(std::uint64_t count, std::string_view noun);

/// Whether a shape is one that text can state: a scalar, or two sides of at least 1.
[[nodiscard]] bool is_canonical(Shape shape);

[[nodiscard]] Result<OpResult> check_op(const OpContext& context, const FactOp& op);
[[nodiscard]] Result<OpResult> check_op(const OpContext& context, const WeightOp& op);
[[nodiscard]] Result<OpResult> check_op(const OpContext& context, const ConcatOp& op);
[[nodiscard]] Result<OpResult> check_op(const OpContext& context, const GatherOp& op);
[[nodiscard]] Result<OpResult> check_op(const OpContext& context, const LinearOp& op);
[[nodiscard]] Result<OpResult> check_op(const OpContext& context, const SegmentOp& op);
[[nodiscard]] Result<OpResult> check_op(const OpContext& context, const TransformOp& op);
[[nodiscard]] Result<OpResult> check_op(const OpContext& context, const MapOp& op);
[[nodiscard]] Result<OpResult> check_op(const OpContext& context, const ContractOp& op);
[[nodiscard]] Result<OpResult> check_op(const OpContext& context, const VjpOp& op);
[[nodiscard]] Result<OpResult> check_op(const OpContext& context, const DrawOp& op);
[[nodiscard]] Result<OpResult> check_op(const OpContext& context, const TakeOp& op);
[[nodiscard]] Result<OpResult> check_op(const OpContext& context, const SumEqualOp& op);
[[nodiscard]] Result<OpResult> check_op(const OpContext& context, const ScatterSumOp& op);
[[nodiscard]] Result<OpResult> check_op(const OpContext& context, const StateOp& op);
[[nodiscard]] Result<OpResult> check_op(const OpContext& context, const UpdateOp& op);
[[nodiscard]] Result<OpResult> check_op(const OpContext& context, const OutputOp& op);

/// That operand `k` holds numbers of `rows` rows: scalars, whose dtype tells that many rows apart.
[[nodiscard]] Result<void> check_row_numbers(const OpContext& context, std::size_t k,
                                             std::uint32_t rows);
/// Segments over `rows` rows: offsets that fit them, fixed segments that divide them. `name` is the
/// value's that has the rows.
[[nodiscard]] Result<void> check_segments(const OpContext& context, const SegmentOp& op,
                                          const std::string& name, std::uint32_t rows);
/// What `map` makes of its first operands.
[[nodiscard]] Result<OpResult> check_map(const OpContext& context, const MapOp& op,
                                         std::size_t operands);
/// The words of a transformation of `rows` rows of `shape`; the shape that it makes of each.
[[nodiscard]] Result<Shape> check_transformation(const OpContext& context, const TransformOp& op,
                                                 Shape shape, std::uint32_t rows);

}  // namespace vecc
