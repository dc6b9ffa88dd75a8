// Ops as lines of Python. A value is a tensor with its rows first: [rows] of scalars, [rows, n] of
// columns and rows of n elements, [rows, m, n] of matrices.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/emit/python/buffers.h"
#include "src/emit/python/code.h"
#include "src/emit/python/concat_chains.h"
#include "src/emit/python/helpers.h"
#include "vecc/program.h"

namespace vecc::python {

/// Dimensions of one row: none, one or two.
[[nodiscard]] std::vector<std::uint64_t> dimensions(Shape shape);
/// `, 3, 3`: after the number of rows in an argument list.
[[nodiscard]] std::string more_dimensions(Shape shape);
/// What makes a row of `from` broadcast over one of `to`: `[:, None]`, or nothing.
[[nodiscard]] std::string spread(Shape from, Shape to);

/// One side of a product: [rows] or, if they are a grid, [a, b] of rows, in letters of einsum.
struct Factor {
  Code code;
  Shape shape;  ///< after `transposed`
  bool transposed = false;
  std::string grid = "n";
};
/// The rows of `left` times those of `right`; `grid`: the result's.
[[nodiscard]] Code multiply(const Factor& left, const Factor& right, const std::string& grid);

class OpEmitter {
 public:
  /// `weights`: by parameter, what reads it.
  OpEmitter(const Program& program, std::vector<std::string> weights);

  /// Lines for all ops, in order.
  [[nodiscard]] std::vector<Statement> emit_all();

  /// What reads a value. After emit_all().
  [[nodiscard]] const Code& read(ValueId value) const { return reads_[value]; }
  /// `tanh_17`, `map_26_1`
  [[nodiscard]] std::string name_of(NameId id) const;
  [[nodiscard]] std::size_t name_count() const { return program_.ops().size() + steps_.size(); }
  [[nodiscard]] Buffers& buffers() { return buffers_; }
  [[nodiscard]] const Helpers& helpers() const { return helpers_; }

 private:
  struct PieceReads;
  struct Term;  // of an expression
  class ExprEmitter;

  void emit(ValueId id);
  void define(ValueId id, Code code);
  [[nodiscard]] std::string label(std::string_view what, ValueId id) const;
  [[nodiscard]] static Code cat(std::span<const Code> parts);
  /// `source` read through an index.
  [[nodiscard]] Code select(const Code& source, Shape shape, std::uint32_t source_rows,
                            const Index& index, ValueId id);

  [[nodiscard]] Code emit_op(const FactOp& op, ValueId id);
  [[nodiscard]] Code emit_op(const ConcatOp& op, ValueId id);
  [[nodiscard]] Code emit_op(const GatherOp& op, ValueId id);
  [[nodiscard]] Code emit_op(const LinearOp& op, ValueId id);
  [[nodiscard]] Code emit_op(const SegmentOp& op, ValueId id);
  [[nodiscard]] Code emit_op(const TransformOp& op, ValueId id);
  [[nodiscard]] Code emit_op(const MapOp& op, ValueId id);

  [[nodiscard]] Code gather_chained(const GatherOp& op, ValueId id);
  [[nodiscard]] std::vector<PieceReads> reads_by_piece(const GatherOp& op, ValueId concat) const;
  [[nodiscard]] Code ragged_segment(const SegmentOp& op, ValueId id);
  /// A call that takes members, their segments and whether the largest is wanted.
  [[nodiscard]] Code select_members(const char* call, const SegmentOp& op, ValueId id);
  [[nodiscard]] Code fixed_segment(const SegmentOp& op, ValueId id);
  [[nodiscard]] Code ragged_product(const SegmentOp& op, ValueId id);
  [[nodiscard]] Code ragged_sparsemax(const SegmentOp& op, ValueId id);
  /// The number of each row's segment.
  [[nodiscard]] Buffer owners(const SegmentOp& op, ValueId id);
  /// T(x) of whole rows, T with the same words for all rows.
  [[nodiscard]] Code transform(const TransformationSpec& spec, std::span<const std::uint32_t> words,
                               Shape from, const Code& x);
  [[nodiscard]] Code transform_by_row(const TransformOp& op, ValueId id);

  const Program& program_;
  ConcatChains chains_;
  std::vector<std::string> weights_;
  Buffers buffers_;
  Helpers helpers_;
  std::vector<Code> reads_;
  std::vector<Statement> statements_;
  std::vector<std::string> steps_;
};

}  // namespace vecc::python
