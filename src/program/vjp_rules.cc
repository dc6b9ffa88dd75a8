// Rules of `vjp`: what it reads, and how that fits the op that it differentiates.
#include <string>

#include "src/function/differentiate.h"
#include "src/program/members.h"
#include "src/program/op_rules.h"

namespace vecc {
namespace {

// A `vjp` that is being added: its last operand is g, the one before it y if that is read.
class VjpRule {
 public:
  VjpRule(const OpContext& context, const VjpOp& op)
      : context_(context), op_(op), reads_(reads_of(op)) {}

  Result<OpResult> check() const {
    if (!is_canonical(op_.shape)) return context_.error("a shape with a side of 0");
    return std::visit([&](const auto& of) { return check(of); }, op_.of);
  }

 private:
  [[nodiscard]] const Op& g() const { return context_.operand(context_.operand_count() - 1); }

  // That operand k is `rows` rows of `shape`, being `what` the derivative reads.
  [[nodiscard]] Result<void> expect(std::size_t k, std::string_view what, std::uint64_t rows,
                                    Shape shape) const {
    const Op& found = context_.operand(k);
    if (found.rows == rows && found.shape == shape) return {};
    return context_.error(context_.name(k) + " (" + std::string(what) + ") has " +
                          count_text(found.rows, "row") + " of " + found.shape.text() +
                          ", expected " + std::to_string(rows) + " of " + shape.text());
  }

  // Of an op with one operand: what is read of x and y.
  [[nodiscard]] Result<void> expect_single(std::uint64_t rows, std::uint64_t result_rows,
                                           Shape result) const {
    std::size_t next = 0;
    if (reads_.operands) VECC_TRY_VOID(expect(next++, "the operand", rows, op_.shape));
    if (reads_.result) VECC_TRY_VOID(expect(next++, "the result", result_rows, result));
    return expect(next, "g", result_rows, result);
  }
  [[nodiscard]] Result<void> expect_count() const {
    VECC_TRY_VOID(context_.expect_operands(std::size_t{1} + (reads_.operands ? 1 : 0) +
                                           (reads_.result ? 1 : 0)));
    if (op_.wrt == 0) return {};
    return context_.error("by operand $" + std::to_string(op_.wrt) + " of an op that has one");
  }

  [[nodiscard]] Result<OpResult> check(const TransformOp& of) const {
    VECC_TRY_VOID(expect_count());
    if (of.transformation.id == Transformation::Broadcast && !op_.shape.is_scalar()) {
      return context_.error("broadcast of shape " + op_.shape.text() + ", expected scalars");
    }
    const std::uint32_t rows = g().rows;
    VECC_TRY(const Shape shape, check_transformation(context_, of, op_.shape, rows));
    VECC_TRY_VOID(expect_single(rows, rows, shape));
    return OpResult{rows, op_.shape};
  }

  // Rows that the segments are over.
  [[nodiscard]] std::uint64_t member_rows(const SegmentOp& of, bool keeps) const {
    if (!of.segments.is_fixed()) {
      return of.segments.offsets().empty() ? 0 : of.segments.offsets().back();
    }
    return keeps ? g().rows : std::uint64_t{g().rows} * of.segments.members();
  }
  [[nodiscard]] Result<Shape> reduced_shape(const SegmentOp& of) const {
    const Shape shape = op_.shape;
    if (of.combination == Combination::Count) return Shape::scalar();
    if (of.combination == Combination::Sparsemax && !shape.is_scalar()) {
      return context_.error(std::string(info(of.combination).text) + " of shape " + shape.text() +
                            ", expected scalars");
    }
    if (of.combination != Combination::Concat) return shape;
    if (!of.segments.is_fixed() || of.segments.dimension() != 2) {
      return context_.error("concat needs fixed segments over dimension 2");
    }
    const std::uint64_t size = shape.size() * of.segments.members();
    if (size > kMaxRowSize) return context_.error("concat of too many elements");
    return Shape::column(static_cast<std::uint32_t>(size));
  }

  [[nodiscard]] Result<OpResult> check(const SegmentOp& of) const {
    VECC_TRY_VOID(expect_count());
    const bool keeps = keeps_members(of.combination);
    const std::uint64_t rows = member_rows(of, keeps);
    if (rows > kMaxRows) return OpResult{rows, op_.shape};  // Program::add refuses it
    const auto member_count = static_cast<std::uint32_t>(rows);
    VECC_TRY_VOID(check_segments(context_, of, "g", member_count));
    VECC_TRY(const Shape shape, reduced_shape(of));
    const std::uint32_t result_rows = keeps ? member_count : of.segments.count(member_count);
    VECC_TRY_VOID(expect_single(rows, result_rows, shape));
    return OpResult{rows, op_.shape};
  }

  [[nodiscard]] Result<OpResult> check(const MapOp& of) const {
    if (context_.operand_count() == 0) return context_.error("has no operand");
    const std::size_t count = context_.operand_count() - 1;
    VECC_TRY(const OpResult result, check_map(context_, of, count));
    if (op_.wrt >= count) {
      return context_.error("by operand $" + std::to_string(op_.wrt) + ", but there are " +
                            std::to_string(count));
    }
    VECC_TRY_VOID(expect(count, "g", result.rows, result.shape));
    const Op& operand = context_.operand(op_.wrt);
    VECC_TRY_VOID(expect(op_.wrt, "the operand", operand.rows, op_.shape));
    return OpResult{operand.rows, operand.shape};
  }

  const OpContext& context_;
  const VjpOp& op_;
  VjpReads reads_;
};

struct ReadsOf {
  VjpReads operator()(const SegmentOp& op) const {
    return {derivative_reads_elements(op.combination), derivative_reads_result(op.combination)};
  }
  VjpReads operator()(const TransformOp& op) const {
    return {derivative_reads_argument(op.transformation),
            derivative_reads_result(op.transformation)};
  }
  VjpReads operator()(const MapOp&) const { return {true, false}; }
};

}  // namespace

VjpReads reads_of(const VjpOp& op) {
  return std::visit(ReadsOf(), op.of);
}

Result<OpResult> check_op(const OpContext& context, const VjpOp& op) {
  return VjpRule(context, op).check();
}

}  // namespace vecc
