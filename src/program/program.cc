#include "vecc/program.h"

#include <utility>

#include "src/program/index_algebra.h"
#include "src/program/op_rules.h"
#include "vecc/escape.h"

namespace vecc {
namespace {

ValueId value_of(const Result<ValueId>& result) {
  VECC_CHECK(result.has_value(), result.error().text());
  return *result;
}

}  // namespace

std::string_view text_of(DType dtype) {
  switch (dtype) {
    case DType::F32: return "f32";
    case DType::F64: return "f64";
  }
  fail_check("known dtype", __FILE__, __LINE__, std::to_string(static_cast<int>(dtype)));
}

std::uint32_t byte_size(DType dtype) {
  switch (dtype) {
    case DType::F32: return 4;
    case DType::F64: return 8;
  }
  fail_check("known dtype", __FILE__, __LINE__, std::to_string(static_cast<int>(dtype)));
}

std::string_view text_of(OpKind kind) {
  switch (kind) {
    case OpKind::Fact: return "fact";
    case OpKind::Weight: return "weight";
    case OpKind::Concat: return "concat";
    case OpKind::Gather: return "gather";
    case OpKind::Linear: return "linear";
    case OpKind::Segment: return "segment";
    case OpKind::Transform: return "transform";
    case OpKind::Map: return "map";
    case OpKind::Contract: return "contract";
    case OpKind::Vjp: return "vjp";
    case OpKind::Draw: return "draw";
    case OpKind::Take: return "take";
    case OpKind::SumEqual: return "sum_equal";
    case OpKind::ScatterSum: return "scatter_sum";
    case OpKind::State: return "state";
    case OpKind::Update: return "update";
    case OpKind::Output: return "output";
  }
  fail_check("known op", __FILE__, __LINE__, std::to_string(static_cast<int>(kind)));
}

Program::Program(DType dtype) : dtype_(dtype) {}
Program::Program(const Program&) = default;
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(const Program&) = default;
Program& Program::operator=(Program&&) noexcept = default;
Program::~Program() = default;

Result<ValueId> Program::add(OpAttributes attributes, Operands operands, Note note) {
  const auto kind = static_cast<OpKind>(attributes.index());
  const OpContext context(*this, kind, operands);
  for (const ValueId operand : operands) {
    if (operand >= ops_.size()) {
      return context.error("reads %" + std::to_string(operand) + ", which is not before it");
    }
  }
  VECC_TRY(const OpResult result,
           std::visit([&](const auto& op) { return check_op(context, op); }, attributes));
  if (result.rows > kMaxRows) {
    return Errors(
        ErrorCode::LimitRows, context.place(),
        "makes " + std::to_string(result.rows) + " rows, more than " + std::to_string(kMaxRows));
  }
  if (result.shape.size() > kMaxRowSize) {
    return Errors(ErrorCode::LimitShape, context.place(),
                  "makes rows of " + result.shape.text() + ", more than " +
                      std::to_string(kMaxRowSize) + " elements");
  }
  if (ops_.size() >= kMaxRows) {
    return Errors(ErrorCode::LimitRows, context.place(), "too many ops");
  }
  ops_.push_back({std::move(attributes), std::move(operands),
                  static_cast<std::uint32_t>(result.rows), result.shape, dtype_, std::move(note)});
  return static_cast<ValueId>(ops_.size() - 1);
}

ValueId Program::fact(std::vector<double> values, std::uint32_t rows, Shape shape, Note note) {
  return shared_fact(SharedNumbers::of(std::move(values)), rows, shape, std::move(note));
}

ValueId Program::shared_fact(SharedNumbers values, std::uint32_t rows, Shape shape, Note note) {
  return value_of(add(FactOp{std::move(values), rows, shape, false}, {}, std::move(note)));
}

ValueId Program::unit_fact(std::uint32_t rows, Note note) {
  return value_of(add(FactOp{nullptr, rows, Shape::scalar(), true}, {}, std::move(note)));
}

ValueId Program::weight(ParameterIndex parameter, Note note) {
  return value_of(add(WeightOp{parameter}, {}, std::move(note)));
}

ValueId Program::concat(std::span<const ValueId> operands, Note note) {
  if (operands.size() == 1) return operands[0];
  return value_of(add(ConcatOp{}, Operands(operands.begin(), operands.end()), std::move(note)));
}

ValueId Program::gather(ValueId operand, Index index, Note note) {
  if (operand < ops_.size() && is_identity(index, ops_[operand].rows)) return operand;
  return value_of(add(GatherOp{std::move(index)}, {operand}, std::move(note)));
}

ValueId Program::linear(ValueId left, ValueId right, LinearOp attributes, Note note) {
  return value_of(add(attributes, {left, right}, std::move(note)));
}

ValueId Program::segment(ValueId operand, Segments segments, Combination combination, Note note) {
  return value_of(add(SegmentOp{std::move(segments), combination}, {operand}, std::move(note)));
}

ValueId Program::transform(ValueId operand, const TransformationSpec& transformation,
                           std::vector<std::uint32_t> words, Note note) {
  if (transformation.id == Transformation::Identity && operand < ops_.size()) return operand;
  TransformOp op{transformation, nullptr};
  if (!words.empty()) {
    op.words = std::make_shared<const std::vector<std::uint32_t>>(std::move(words));
  }
  return value_of(add(std::move(op), {operand}, std::move(note)));
}

ValueId Program::map(Expr expr, std::span<const ValueId> operands, Note note) {
  MapOp op{std::make_shared<const Expr>(std::move(expr))};
  return value_of(add(std::move(op), Operands(operands.begin(), operands.end()), std::move(note)));
}

ValueId Program::output(ValueId operand, Index samples, Note note) {
  return value_of(add(OutputOp{std::move(samples)}, {operand}, std::move(note)));
}

}  // namespace vecc
