// Rules of the ops that apply a function: segment, transform, map.
#include <algorithm>
#include <span>

#include "src/program/op_rules.h"
#include "src/support/list_threads.h"

namespace vecc {
namespace {

Result<void> check_fixed(const OpContext& context, const Segments& segments,
                         const std::string& name, std::uint32_t rows) {
  if (segments.dimension() != 1 && segments.dimension() != 2) {
    return context.error("fixed segments over dimension " + std::to_string(segments.dimension()) +
                         ", expected 1 or 2");
  }
  if (rows % segments.members() == 0) return {};
  return context.error(name + " has " + count_text(rows, "row") + ", expected a multiple of " +
                       std::to_string(segments.members()));
}

Result<void> check_offsets(const OpContext& context, std::span<const std::uint32_t> offsets,
                           const std::string& name, std::uint32_t rows) {
  if (offsets.empty()) return context.error("has no offsets");
  if (offsets.front() != 0) {
    return context.error("offsets begin at " + std::to_string(offsets.front()) + ", expected 0");
  }
  const bool ascends = holds_for_all(offsets.size() - 1,
                                     [&](std::size_t i) { return offsets[i] <= offsets[i + 1]; });
  if (!ascends) {
    const auto drop = std::ranges::is_sorted_until(offsets);
    return context.error("offset " + std::to_string(drop - offsets.begin()) + " is " +
                         std::to_string(*drop) + ", less than " + std::to_string(drop[-1]) +
                         " before it");
  }
  if (offsets.back() != rows) {
    return context.error("offsets end at " + std::to_string(offsets.back()) + ", but " + name +
                         " has " + count_text(rows, "row"));
  }
  return {};
}

Result<void> check_no_empty(const OpContext& context, const SegmentOp& op) {
  const auto offsets = op.segments.offsets();
  const auto empty = std::ranges::adjacent_find(offsets);
  if (empty == offsets.end()) return {};
  return context.error(std::string(info(op.combination).text) + " of segment " +
                       std::to_string(empty - offsets.begin()) + ", which is empty");
}

Result<OpResult> check_flatten(const OpContext& context, const Segments& segments) {
  if (!segments.is_fixed() || segments.dimension() != 2) {
    return context.error("concat needs fixed segments over dimension 2");
  }
  const std::uint64_t size = context.operand(0).shape.size() * segments.members();
  if (size > kMaxRowSize) {
    return Errors(ErrorCode::LimitShape, context.place(),
                  "concat makes rows of " + std::to_string(size) + " elements, more than " +
                      std::to_string(kMaxRowSize));
  }
  return OpResult{segments.count(context.operand(0).rows),
                  Shape::column(static_cast<std::uint32_t>(size))};
}

// Whether `segment` knows the combination; the others are `linear` and `map`.
bool is_segment_combination(Combination combination) {
  return info(combination).segment != CombinationSegment::None;
}

}  // namespace

Result<void> check_segments(const OpContext& context, const SegmentOp& op, const std::string& name,
                            std::uint32_t rows) {
  if (!is_segment_combination(op.combination)) {
    return context.error("no segment reduces by " + std::string(info(op.combination).text));
  }
  VECC_TRY_VOID(op.segments.is_fixed() ? check_fixed(context, op.segments, name, rows)
                                       : check_offsets(context, op.segments.offsets(), name, rows));
  if (selects(op.combination)) VECC_TRY_VOID(check_no_empty(context, op));
  return {};
}

Result<Shape> check_transformation(const OpContext& context, const TransformOp& op, Shape shape,
                                   std::uint32_t rows) {
  const std::string name(info(op.transformation.id).text);
  const bool has_target = info(op.transformation.id).parameters == FunctionParameters::Target;
  if (has_target && !is_canonical(op.transformation.target)) {
    return context.error(name + " to a shape with a side of 0");
  }
  const std::span<const std::uint32_t> words =
      op.words ? std::span<const std::uint32_t>(*op.words) : std::span<const std::uint32_t>();
  const std::uint32_t width = word_count(op.transformation.id);
  if (words.size() != width && words.size() != std::uint64_t{width} * rows) {
    return context.error(name + " has " + count_text(words.size(), "word") + ", expected " +
                         std::to_string(width) + (width > 0 ? " or as many a row" : ""));
  }
  if (words.empty() && width > 0) return context.error(name + " has no words");
  const auto shape_of_row = [&](std::size_t at) -> Result<Shape> {
    auto made = transformed_shape(op.transformation, words.subspan(at, width), shape, {});
    if (!made) return context.rewrap(made.error());
    return made;
  };
  VECC_TRY(const Shape made, shape_of_row(0));
  for (std::size_t at = width; at < words.size(); at += width) {
    VECC_TRY(const Shape other, shape_of_row(at));
    if (other != made) {
      return context.error(name + " makes " + made.text() + " of row 0, but " + other.text() +
                           " of row " + std::to_string(at / width));
    }
  }
  return made;
}

Result<OpResult> check_op(const OpContext& context, const SegmentOp& op) {
  VECC_TRY_VOID(context.expect_operands(1));
  const Op& operand = context.operand(0);
  VECC_TRY_VOID(check_segments(context, op, context.name(0), operand.rows));
  const OpResult reduced{op.segments.count(operand.rows), operand.shape};
  switch (info(op.combination).segment) {
    case CombinationSegment::Number: return OpResult{reduced.rows, Shape::scalar()};
    case CombinationSegment::Flat: return check_flatten(context, op.segments);
    case CombinationSegment::Members:
      if (op.combination == Combination::Softmax || operand.shape.is_scalar()) {
        return OpResult{operand.rows, operand.shape};
      }
      return context.error(std::string(info(op.combination).text) + " of " + context.name(0) +
                           " of shape " + operand.shape.text() + ", expected scalars");
    case CombinationSegment::Reduction:
    case CombinationSegment::None: return reduced;
  }
  return reduced;
}

Result<OpResult> check_op(const OpContext& context, const TransformOp& op) {
  VECC_TRY_VOID(context.expect_operands(1));
  const Op& operand = context.operand(0);
  if (op.transformation.id == Transformation::Broadcast && !operand.shape.is_scalar()) {
    return context.error("broadcast of " + context.name(0) + " of shape " + operand.shape.text() +
                         ", expected scalars");
  }
  VECC_TRY(const Shape shape, check_transformation(context, op, operand.shape, operand.rows));
  return OpResult{operand.rows, shape};
}

Result<OpResult> check_op(const OpContext& context, const MapOp& op) {
  return check_map(context, op, context.operand_count());
}

Result<OpResult> check_map(const OpContext& context, const MapOp& op, std::size_t operands) {
  if (operands == 0) return context.error("has no operand");
  if (!op.expr) return context.error("has no expression");
  if (auto checked = check_expr(*op.expr, {}); !checked) return context.rewrap(checked.error());
  if (op.expr->input_count() > operands) {
    return context.error("reads operand $" + std::to_string(op.expr->input_count() - 1) +
                         ", but has " + count_text(operands, "operand"));
  }
  std::vector<Shape> shapes;
  std::size_t longest = 0;  // the first operand that does not broadcast
  for (std::size_t k = 0; k < operands; ++k) {
    shapes.push_back(context.operand(k).shape);
    if (context.operand(longest).rows == 1) longest = k;
    const std::uint32_t rows = context.operand(k).rows;
    if (rows != 1 && rows != context.operand(longest).rows) {
      return context.error(context.name(k) + " has " + count_text(rows, "row") + ", but " +
                           context.name(longest) + " has " +
                           std::to_string(context.operand(longest).rows));
    }
  }
  auto shape = combined_shape(Combination::FunctionGraph, -1, op.expr.get(), shapes, {});
  if (!shape) return context.rewrap(shape.error());
  return OpResult{context.operand(longest).rows, *shape};
}

}  // namespace vecc
