#include "backends/reference/interpret_op.h"

#include <algorithm>

#include "src/function/evaluate.h"

namespace vecc {
namespace {

using Values = std::span<const RowBlock>;

Element element_of(const RowBlock& block, std::size_t row) {
  return {block.shape, block.row(row)};
}

RowBlock interpret(const FactOp& fact, const Op& op, Values /*values*/) {
  RowBlock result(op.rows, op.shape);
  if (fact.unit) {
    std::ranges::fill(result.values, 1.0);
  } else {
    std::ranges::copy(*fact.values, result.values.begin());
  }
  return result;
}

RowBlock interpret(const WeightOp&, const Op& op, Values) {
  fail_check("an op that only reads operands", __FILE__, __LINE__, op.note);
}

RowBlock interpret(const StateOp&, const Op& op, Values) {
  fail_check("an op that only reads operands", __FILE__, __LINE__, op.note);
}

RowBlock interpret(const ConcatOp&, const Op& op, Values values) {
  RowBlock result(op.rows, op.shape);
  auto out = result.values.begin();
  for (const ValueId operand : op.operands) {
    out = std::ranges::copy(values[operand].values, out).out;
  }
  return result;
}

RowBlock interpret(const GatherOp& gather, const Op& op, Values values) {
  RowBlock result(op.rows, op.shape);
  const RowBlock& from = values[op.operands[0]];
  for (std::uint32_t i = 0; i < op.rows; ++i) {
    std::ranges::copy(from.row(gather.index[i]), result.row(i).begin());
  }
  return result;
}

// The row of the operand that stands for row i of the lifted operand.
std::uint32_t lifted_row(const Lift& lift, std::uint32_t rows, std::uint32_t i) {
  switch (lift.kind) {
    case Lift::Kind::None: return i;
    case Lift::Kind::Repeat: return i % rows;
    case Lift::Kind::Interleave: return i / lift.times;
  }
  fail_check("known lift", __FILE__, __LINE__, std::to_string(static_cast<int>(lift.kind)));
}

RowBlock transposed(const RowBlock& block) {
  RowBlock result(block.rows, block.shape.transposed());
  const TransformationSpec spec{.id = Transformation::Transp, .target = {}};
  for (std::uint32_t i = 0; i < block.rows; ++i) {
    evaluate(spec, {}, block.shape, block.row(i), result.row(i));
  }
  return result;
}

RowBlock interpret(const LinearOp& linear, const Op& op, Values values) {
  RowBlock result(op.rows, op.shape);
  RowBlock flipped_left;
  RowBlock flipped_right;
  const RowBlock* left = &values[op.operands[0]];
  const RowBlock* right = &values[op.operands[1]];
  if (linear.transpose_left) left = &(flipped_left = transposed(*left));
  if (linear.transpose_right) right = &(flipped_right = transposed(*right));
  for (std::uint32_t i = 0; i < op.rows; ++i) {
    times(element_of(*left, lifted_row(linear.lift_left, left->rows, i)),
          element_of(*right, lifted_row(linear.lift_right, right->rows, i)), result.row(i));
  }
  return result;
}

// The rows of segment s, in order.
std::vector<std::uint32_t> members_of(const Segments& segments, std::uint32_t rows,
                                      std::uint32_t s) {
  std::vector<std::uint32_t> members;
  if (!segments.is_fixed()) {
    for (std::uint32_t r = segments.offsets()[s]; r < segments.offsets()[s + std::size_t{1}]; ++r) {
      members.push_back(r);
    }
    return members;
  }
  const std::uint32_t count = segments.count(rows);
  for (std::uint32_t k = 0; k < segments.members(); ++k) {
    members.push_back(segments.dimension() == 2 ? s * segments.members() + k : k * count + s);
  }
  return members;
}

// Softmax and sparsemax over each segment, one row a member.
RowBlock interpret_members(const SegmentOp& segment, const Op& op, const RowBlock& from) {
  RowBlock result(op.rows, op.shape);
  for (std::uint32_t s = 0; s < segment.segments.count(from.rows); ++s) {
    const std::vector<std::uint32_t> members = members_of(segment.segments, from.rows, s);
    if (members.empty()) continue;
    std::vector<Element> elements;
    for (const std::uint32_t row : members) elements.push_back(element_of(from, row));
    std::vector<double> column(members.size());
    evaluate(segment.combination, nullptr, elements, column);
    for (std::size_t k = 0; k < members.size(); ++k) result.values[members[k]] = column[k];
  }
  return result;
}

RowBlock interpret(const SegmentOp& segment, const Op& op, Values values) {
  const RowBlock& from = values[op.operands[0]];
  const Combination combination = segment.combination;
  if (combination == Combination::Softmax || combination == Combination::Sparsemax) {
    return interpret_members(segment, op, from);
  }
  RowBlock result(op.rows, op.shape);
  std::vector<Element> elements;
  for (std::uint32_t s = 0; s < op.rows; ++s) {
    elements.clear();
    for (const std::uint32_t row : members_of(segment.segments, from.rows, s)) {
      elements.push_back(element_of(from, row));
    }
    if (elements.empty()) {
      std::ranges::fill(result.row(s), combination == Combination::ElProduct ? 1.0 : 0.0);
    } else {
      evaluate(combination, nullptr, elements, result.row(s));
    }
  }
  return result;
}

RowBlock interpret(const TransformOp& transform, const Op& op, Values values) {
  RowBlock result(op.rows, op.shape);
  const RowBlock& from = values[op.operands[0]];
  const std::size_t width = word_count(transform.transformation.id);
  for (std::uint32_t i = 0; i < op.rows; ++i) {
    std::span<const std::uint32_t> words;
    if (width > 0) {
      const bool by_row = transform.words->size() != width;
      words = std::span(*transform.words).subspan(by_row ? width * i : 0, width);
    }
    evaluate(transform.transformation, words, from.shape, from.row(i), result.row(i));
  }
  return result;
}

RowBlock interpret(const MapOp& map, const Op& op, Values values) {
  RowBlock result(op.rows, op.shape);
  std::vector<Element> operands(op.operands.size());
  for (std::uint32_t i = 0; i < op.rows; ++i) {
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const RowBlock& operand = values[op.operands[k]];
      operands[k] = element_of(operand, operand.rows == 1 ? 0 : i);
    }
    evaluate(*map.expr, operands, result.row(i));
  }
  return result;
}

// gradient += d times(w, x) / d w in direction g.
void add_weight_gradient(Element g, Element x, Shape weight, std::span<double> gradient) {
  if (weight.is_scalar()) {
    for (std::size_t i = 0; i < g.values.size(); ++i) gradient[0] += g.values[i] * x.values[i];
    return;
  }
  if (x.shape.is_scalar()) {
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] += g.values[i] * x.values[0];
    return;
  }
  // g x^T, where a dot product's scalar g is 1x1.
  const std::size_t inner = weight.cols();
  const std::size_t cols = x.shape.cols();
  for (std::size_t r = 0; r < weight.rows(); ++r) {
    for (std::size_t k = 0; k < inner; ++k) {
      for (std::size_t c = 0; c < cols; ++c) {
        gradient[r * inner + k] += g.values[r * cols + c] * x.values[k * cols + c];
      }
    }
  }
}

RowBlock interpret(const ContractOp& contract, const Op& op, Values values) {
  RowBlock result(op.rows, op.shape);
  const RowBlock& g = values[op.operands[0]];
  const RowBlock& x = values[op.operands[1]];
  for (std::uint32_t e = 0; e < contract.types.size(); ++e) {
    add_weight_gradient(element_of(g, e), element_of(x, e), contract.weight_shape,
                        result.row(contract.types[e]));
  }
  return result;
}

RowBlock interpret(const UpdateOp&, const Op& op, Values values) {
  return values[op.operands[1]];
}

RowBlock interpret(const OutputOp&, const Op& op, Values values) {
  return values[op.operands[0]];
}

}  // namespace

RowBlock interpret_op(const Op& op, Values values) {
  RowBlock result = std::visit(
      [&](const auto& attributes) { return interpret(attributes, op, values); }, op.attributes);
  VECC_CHECK(result.values.size() == op.size(),
             std::string(text_of(op.kind())) + " made a value of another size than its op says");
  return result;
}

}  // namespace vecc
