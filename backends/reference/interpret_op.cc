#include "backends/reference/interpret_op.h"

#include <algorithm>
#include <vector>

#include "backends/reference/differentiate_op.h"
#include "backends/reference/linear_side.h"
#include "backends/reference/row_numbers.h"
#include "backends/reference/segment_rows.h"
#include "src/function/counter_draws.h"
#include "src/function/evaluate.h"

namespace vecc::reference {
namespace {

using Values = std::span<const Rows>;

[[noreturn]] void fail_without_step(const Op& op) {
  fail_check("an op with a step of its own", __FILE__, __LINE__, std::string(text_of(op.kind())));
}

void copy_rows(const Rows& from, std::span<double> to) {
  const std::size_t size = from.shape().size();
  for (std::uint32_t i = 0; i < from.rows(); ++i) {
    std::ranges::copy(from.row(i), to.subspan(i * size, size).begin());
  }
}

void interpret(const FactOp& fact, const Op&, Values, const MutableRows& result) {
  if (fact.unit) {
    std::ranges::fill(result.all(), 1.0);
  } else {
    fact.values.copy_to(0, result.all());
  }
}

void interpret(const WeightOp&, const Op& op, Values, const MutableRows&) {
  fail_without_step(op);
}

void interpret(const StateOp&, const Op& op, Values, const MutableRows&) {
  fail_without_step(op);
}

void interpret(const GatherOp&, const Op& op, Values, const MutableRows&) {
  fail_without_step(op);
}

void interpret(const ConcatOp&, const Op& op, Values values, const MutableRows& result) {
  std::span<double> rest = result.all();
  for (const Rows& operand : values) {
    if (!operand.stand_at(rest.data())) copy_rows(operand, rest);
    rest = rest.subspan(operand.rows() * op.shape.size());
  }
}

void interpret(const LinearOp& linear, const Op& op, Values values, const MutableRows& result) {
  LinearSide left(values[0], linear.transpose_left, linear.lift_left);
  LinearSide right(values[1], linear.transpose_right, linear.lift_right);
  for (std::uint32_t i = 0; i < op.rows; ++i) {
    times(left.element(i), right.element(i), result.row(i));
  }
}

// The elements of a segment, in order.
void collect_members(const Rows& from, const SegmentRows& members, std::vector<Element>& elements) {
  elements.clear();
  for (std::uint32_t k = 0; k < members.count; ++k) elements.push_back(from.element(members[k]));
}

// Softmax and sparsemax over each segment, one row a member: of each entry by itself.
void interpret_members(const SegmentOp& segment, const Rows& from, const MutableRows& result) {
  std::vector<Element> elements;
  std::vector<double> rows;
  for (std::uint32_t s = 0; s < segment.segments.count(from.rows()); ++s) {
    const SegmentRows members = segment_rows(segment.segments, from.rows(), s);
    if (members.count == 0) continue;
    collect_members(from, members, elements);
    const std::size_t entries = from.shape().size();
    rows.resize(members.count * entries);
    evaluate_members(segment.combination, elements, rows);
    for (std::uint32_t k = 0; k < members.count; ++k) {
      std::ranges::copy(std::span(rows).subspan(k * entries, entries),
                        result.row(members[k]).begin());
    }
  }
}

void interpret(const SegmentOp& segment, const Op& op, Values values, const MutableRows& result) {
  const Rows& from = values[0];
  const Combination combination = segment.combination;
  if (keeps_members(combination)) {
    interpret_members(segment, from, result);
    return;
  }
  std::vector<Element> elements;
  for (std::uint32_t s = 0; s < op.rows; ++s) {
    collect_members(from, segment_rows(segment.segments, from.rows(), s), elements);
    if (elements.empty()) {
      std::ranges::fill(result.row(s), combination == Combination::ElProduct ? 1.0 : 0.0);
    } else {
      evaluate(combination, nullptr, elements, result.row(s));
    }
  }
}

void interpret(const TransformOp& transform, const Op& op, Values values,
               const MutableRows& result) {
  for (std::uint32_t i = 0; i < op.rows; ++i) {
    evaluate(transform.transformation, words_of(transform, i), values[0].shape(), values[0].row(i),
             result.row(i));
  }
}

void interpret(const MapOp& map, const Op& op, Values values, const MutableRows& result) {
  std::vector<Element> operands(values.size());
  for (std::uint32_t i = 0; i < op.rows; ++i) {
    for (std::size_t k = 0; k < operands.size(); ++k) {
      operands[k] = values[k].element(values[k].rows() == 1 ? 0 : i);
    }
    evaluate(*map.expr, operands, result.row(i));
  }
}

// By x times: gradient += d <g, times(w, x)> / d w, in which w's own value has no part.
void interpret(const ContractOp& contract, const Op&, Values values, const MutableRows& result) {
  for (std::uint32_t e = 0; e < contract.types.size(); ++e) {
    differentiate_times({contract.weight_shape, {}}, values[1].element(e), values[0].row(e),
                        result.row(contract.types[e]), {});
  }
}

// The backward step of the inner op, of which only the one operand's gradient is wanted.
void interpret(const VjpOp& vjp, const Op&, Values values, const MutableRows& result) {
  const VjpReads reads = reads_of(vjp);
  const Rows& g = values.back();
  const Rows y = reads.result ? values[values.size() - 2] : Rows(nullptr, g.rows(), g.shape());
  std::vector<Rows> operands(values.begin(), values.end() - (reads.result ? 2 : 1));
  if (!reads.operands) operands.assign(1, Rows(nullptr, result.rows(), result.shape()));
  std::vector<MutableRows> gradients;
  for (const Rows& operand : operands) {
    gradients.emplace_back(nullptr, operand.rows(), operand.shape());
  }
  gradients[vjp.wrt] = result;
  Op inner;
  inner.attributes = std::visit([](const auto& of) { return OpAttributes(of); }, vjp.of);
  inner.rows = g.rows();
  inner.shape = g.shape();
  differentiate_op({inner, operands, y, g, gradients});
}

void interpret(const DrawOp& draw, const Op& op, Values values, const MutableRows& result) {
  const auto step = static_cast<std::uint64_t>(values[0].row(0)[0]);
  for (std::uint32_t i = 0; i < op.rows; ++i) {
    result.row(i)[0] = draw_below(draw_bits(draw.seed, draw.stream, step, i), draw.bound);
  }
}

void interpret(const TakeOp&, const Op& op, Values values, const MutableRows& result) {
  for (std::uint32_t i = 0; i < op.rows; ++i) {
    std::ranges::copy(values[0].row(row_number(values[1], i)), result.row(i).begin());
  }
}

void interpret(const SumEqualOp&, const Op&, Values values, const MutableRows& result) {
  add_equal_sums(values[0], values[1], result);
}

void interpret(const ScatterSumOp&, const Op&, Values values, const MutableRows& result) {
  for (std::uint32_t j = 0; j < values[0].rows(); ++j) {
    add_row(values[0].row(j), result.row(row_number(values[1], j)));
  }
}

void interpret(const UpdateOp&, const Op&, Values values, const MutableRows& result) {
  copy_rows(values[1], result.all());
}

void interpret(const OutputOp&, const Op&, Values values, const MutableRows& result) {
  copy_rows(values[0], result.all());
}

}  // namespace

std::span<const std::uint32_t> words_of(const TransformOp& transform, std::uint32_t row) {
  const std::size_t width = word_count(transform.transformation.id);
  if (width == 0) return {};
  const bool by_row = transform.words->size() != width;
  return std::span(*transform.words).subspan(by_row ? width * row : 0, width);
}

void interpret_op(const Op& op, Values operands, const MutableRows& result) {
  VECC_CHECK(result.rows() == op.rows && result.shape() == op.shape,
             std::string(text_of(op.kind())) + " into rows of another size than its op says");
  std::visit([&](const auto& attributes) { interpret(attributes, op, operands, result); },
             op.attributes);
}

}  // namespace vecc::reference
