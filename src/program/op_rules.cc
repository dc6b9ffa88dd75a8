// Rules of the ops that move, store and multiply rows.
#include "src/program/op_rules.h"

#include <utility>

namespace vecc {
namespace {

Shape transposed_if(bool transpose, Shape shape) {
  return transpose ? shape.transposed() : shape;
}

std::uint64_t lifted_rows(const Lift& lift, std::uint32_t rows) {
  return std::uint64_t{lift.times} * rows;
}

Result<void> check_lift(const OpContext& context, const Lift& lift, std::string_view side) {
  const bool is_none = lift.kind == Lift::Kind::None;
  if (is_none ? lift.times == 1 : lift.times >= 1) return {};
  return context.error("the " + std::string(side) + " operand is lifted " +
                       count_text(lift.times, "time") + ", expected " +
                       (is_none ? "1 without a lift" : "at least 1"));
}

Result<void> check_stored(const OpContext& context, std::uint32_t rows, Shape shape,
                          const SharedNumbers& values) {
  if (!is_canonical(shape)) return context.error("a shape with a side of 0");
  if (!values) return {};
  // Divides instead of multiplying: rows * size of a hostile op may not fit 64 bits.
  const bool fits = values.size() % shape.size() == 0 && values.size() / shape.size() == rows;
  if (fits) return {};
  return context.error("has " + count_text(values.size(), "value") + ", expected " +
                       count_text(rows, "row") + " of " + shape.text());
}

}  // namespace

std::string OpContext::place() const {
  return "%" + std::to_string(program_.ops().size()) + " " + std::string(text_of(kind_));
}

Errors OpContext::rewrap(const Errors& errors) const {
  return error(errors.list().front().message);
}

Result<void> OpContext::expect_operands(std::size_t expected) const {
  if (operands_.size() == expected) return {};
  return error("has " + count_text(operands_.size(), "operand") + ", expected " +
               std::to_string(expected));
}

std::string count_text(std::uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

bool is_canonical(Shape shape) {
  return shape == Shape::scalar() || (!shape.is_scalar() && shape.cols() > 0);
}

Result<OpResult> check_op(const OpContext& context, const FactOp& op) {
  VECC_TRY_VOID(context.expect_operands(0));
  if (!op.unit && !op.values) return context.error("has no values");
  if (op.unit && op.values) return context.error("has values, but its rows are units");
  if (op.unit && !op.shape.is_scalar()) {
    return context.error("unit rows of shape " + op.shape.text() + ", expected a scalar");
  }
  VECC_TRY_VOID(check_stored(context, op.rows, op.shape, op.values));
  return OpResult{op.rows, op.shape};
}

Result<OpResult> check_op(const OpContext& context, const WeightOp& op) {
  VECC_TRY_VOID(context.expect_operands(0));
  const auto& parameters = context.program().parameters();
  if (op.parameter >= parameters.size()) {
    return context.error("reads parameter " + std::to_string(op.parameter) + ", but there " +
                         (parameters.size() == 1 ? "is " : "are ") +
                         std::to_string(parameters.size()));
  }
  return OpResult{parameters[op.parameter].rows, parameters[op.parameter].shape};
}

Result<OpResult> check_op(const OpContext& context, const ConcatOp&) {
  if (context.operand_count() == 0) return context.error("has no operand");
  const Shape shape = context.operand(0).shape;
  std::uint64_t rows = 0;
  for (std::size_t k = 0; k < context.operand_count(); ++k) {
    if (context.operand(k).shape != shape) {
      return context.error(context.name(k) + " has shape " + context.operand(k).shape.text() +
                           ", but " + context.name(0) + " has " + shape.text());
    }
    rows += context.operand(k).rows;
  }
  return OpResult{rows, shape};
}

Result<OpResult> check_op(const OpContext& context, const GatherOp& op) {
  VECC_TRY_VOID(context.expect_operands(1));
  if (op.index.bound() > context.operand(0).rows) {
    return context.error("reads row " + std::to_string(op.index.bound() - 1) + " of " +
                         context.name(0) + ", which has " +
                         count_text(context.operand(0).rows, "row"));
  }
  return OpResult{op.index.size(), context.operand(0).shape};
}

Result<OpResult> check_op(const OpContext& context, const LinearOp& op) {
  VECC_TRY_VOID(context.expect_operands(2));
  VECC_TRY_VOID(check_lift(context, op.lift_left, "left"));
  VECC_TRY_VOID(check_lift(context, op.lift_right, "right"));
  const std::uint64_t left_rows = lifted_rows(op.lift_left, context.operand(0).rows);
  const std::uint64_t right_rows = lifted_rows(op.lift_right, context.operand(1).rows);
  if (left_rows != right_rows) {
    return context.error(context.name(0) + " has " + count_text(left_rows, "row") + " and " +
                         context.name(1) + " has " + std::to_string(right_rows) +
                         " after lifts, expected the same number");
  }
  const Shape left = transposed_if(op.transpose_left, context.operand(0).shape);
  const Shape right = transposed_if(op.transpose_right, context.operand(1).shape);
  const auto shape = times_shape(left, right);
  if (!shape) {
    return context.error(left.text() + " times " + right.text() +
                         ": the left one's columns must equal the right one's rows");
  }
  return OpResult{left_rows, *shape};
}

Result<OpResult> check_op(const OpContext& context, const ContractOp& op) {
  VECC_TRY_VOID(context.expect_operands(2));
  const Op& gradient = context.operand(0);
  const Op& x = context.operand(1);
  if (!is_canonical(op.weight_shape)) return context.error("a weight shape with a side of 0");
  const auto shape = times_shape(op.weight_shape, x.shape);
  if (!shape || *shape != gradient.shape) {
    return context.error("weight " + op.weight_shape.text() + " times " + context.name(1) + " " +
                         x.shape.text() + " is " + (shape ? shape->text() : "undefined") +
                         ", but " + context.name(0) + " has shape " + gradient.shape.text());
  }
  if (op.types.size() != gradient.rows || op.types.size() != x.rows) {
    return context.error("has " + count_text(op.types.size(), "type") + ", but " + context.name(0) +
                         " has " + count_text(gradient.rows, "row") + " and " + context.name(1) +
                         " has " + std::to_string(x.rows));
  }
  if (op.types.bound() > op.type_count) {
    return context.error("names type " + std::to_string(op.types.bound() - 1) + " of " +
                         std::to_string(op.type_count));
  }
  return OpResult{op.type_count, op.weight_shape};
}

Result<OpResult> check_op(const OpContext& context, const StateOp& op) {
  VECC_TRY_VOID(context.expect_operands(0));
  VECC_TRY_VOID(check_stored(context, op.rows, op.shape, nullptr));
  return OpResult{op.rows, op.shape};
}

Result<OpResult> check_op(const OpContext& context, const UpdateOp& op) {
  const bool by_value = context.operand_count() == 3;
  if (!by_value) VECC_TRY_VOID(context.expect_operands(2));
  const Op& target = context.operand(0);
  const Op& stored = context.operand(1);
  if (target.kind() != OpKind::Weight && target.kind() != OpKind::State) {
    return context.error(context.name(0) + " is a " + std::string(text_of(target.kind())) +
                         ", expected a weight or a state");
  }
  if (target.shape != stored.shape) {
    return context.error(context.name(0) + " has shape " + target.shape.text() + ", but " +
                         context.name(1) + " has " + stored.shape.text());
  }
  if (by_value && op.rows) return context.error("has rows in a list, and by a value");
  if (by_value) VECC_TRY_VOID(check_row_numbers(context, 2, target.rows));
  const std::uint32_t listed = by_value ? context.operand(2).rows : target.rows;
  const std::uint32_t expected = op.rows ? op.rows->size() : listed;
  if (stored.rows != expected) {
    return context.error(context.name(1) + " has " + count_text(stored.rows, "row") +
                         ", expected " + std::to_string(expected));
  }
  if (op.rows && op.rows->bound() > target.rows) {
    return context.error("writes row " + std::to_string(op.rows->bound() - 1) + " of " +
                         context.name(0) + ", which has " + count_text(target.rows, "row"));
  }
  return OpResult{stored.rows, stored.shape};
}

Result<OpResult> check_op(const OpContext& context, const OutputOp& op) {
  VECC_TRY_VOID(context.expect_operands(1));
  if (op.samples.size() != context.operand(0).rows) {
    return context.error("names " + count_text(op.samples.size(), "sample") + ", but " +
                         context.name(0) + " has " + count_text(context.operand(0).rows, "row"));
  }
  const std::uint32_t count = context.program().sample_count();
  if (count > 0 && op.samples.bound() > count) {
    return context.error("names sample " + std::to_string(op.samples.bound() - 1) + " of " +
                         std::to_string(count));
  }
  return OpResult{context.operand(0).rows, context.operand(0).shape};
}

}  // namespace vecc
