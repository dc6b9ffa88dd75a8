// Rules of ops whose indices are values of the step, and of the draws that make such values.
#include <string>

#include "src/program/op_rules.h"
#include "src/program/value_indices.h"

namespace vecc {
namespace {

constexpr std::uint32_t kStreams = 256;

Result<void> expect_scalars(const OpContext& context, std::size_t k) {
  const Op& op = context.operand(k);
  if (op.shape.is_scalar()) return {};
  return context.error(context.name(k) + " has shape " + op.shape.text() +
                       ", expected scalars: row numbers");
}

// That there is a number for each row of operand 0.
Result<void> expect_same_rows(const OpContext& context) {
  const Op& g = context.operand(0);
  const Op& index = context.operand(1);
  if (g.rows == index.rows) return {};
  return context.error(context.name(0) + " has " + count_text(g.rows, "row") + ", but " +
                       context.name(1) + " has " + std::to_string(index.rows) +
                       " row numbers, expected one each");
}

}  // namespace

Result<void> check_row_numbers(const OpContext& context, std::size_t k, std::uint32_t rows) {
  VECC_TRY_VOID(expect_scalars(context, k));
  if (context.program().dtype() != DType::F32 || rows <= kMostRowsInF32) return {};
  return context.error("counts " + count_text(rows, "row") + " by f32, expected at most " +
                       std::to_string(kMostRowsInF32) + ": more numbers f32 does not tell apart");
}

Result<OpResult> check_op(const OpContext& context, const DrawOp& op) {
  VECC_TRY_VOID(context.expect_operands(1));
  const Op& step = context.operand(0);
  if (step.rows != 1 || !step.shape.is_scalar()) {
    return context.error(context.name(0) + " has " + count_text(step.rows, "row") + " of " +
                         step.shape.text() + ", expected 1 of 1: the step's number");
  }
  if (op.bound == 0) return context.error("draws numbers below 0, expected at least 1");
  if (op.stream >= kStreams) {
    return context.error("has stream " + std::to_string(op.stream) + ", expected less than " +
                         std::to_string(kStreams));
  }
  if (context.program().dtype() == DType::F32 && op.bound > kMostRowsInF32) {
    return context.error("draws numbers below " + std::to_string(op.bound) +
                         " in f32, expected at most " + std::to_string(kMostRowsInF32) +
                         ": more numbers f32 does not tell apart");
  }
  return OpResult{op.rows, Shape::scalar()};
}

Result<OpResult> check_op(const OpContext& context, const TakeOp&) {
  VECC_TRY_VOID(context.expect_operands(2));
  VECC_TRY_VOID(check_row_numbers(context, 1, context.operand(0).rows));
  return OpResult{context.operand(1).rows, context.operand(0).shape};
}

Result<OpResult> check_op(const OpContext& context, const SumEqualOp&) {
  VECC_TRY_VOID(context.expect_operands(2));
  VECC_TRY_VOID(expect_scalars(context, 1));
  VECC_TRY_VOID(expect_same_rows(context));
  return OpResult{context.operand(0).rows, context.operand(0).shape};
}

Result<OpResult> check_op(const OpContext& context, const ScatterSumOp& op) {
  VECC_TRY_VOID(context.expect_operands(2));
  VECC_TRY_VOID(check_row_numbers(context, 1, op.rows));
  VECC_TRY_VOID(expect_same_rows(context));
  return OpResult{op.rows, context.operand(0).shape};
}

}  // namespace vecc
