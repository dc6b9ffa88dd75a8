#include "backends/reference/differentiate_op.h"

#include <vector>

#include "backends/reference/differentiate_segment.h"
#include "backends/reference/interpret_op.h"
#include "backends/reference/linear_side.h"
#include "backends/reference/row_numbers.h"
#include "backends/reference/segment_rows.h"
#include "src/function/differentiate.h"

namespace vecc::reference {
namespace {

[[noreturn]] void fail_without_step(const BackwardStep& step) {
  fail_check("an op with a backward step", __FILE__, __LINE__,
             std::string(text_of(step.op.kind())));
}

void differentiate(const FactOp&, const BackwardStep& step) {
  fail_without_step(step);
}

void differentiate(const WeightOp&, const BackwardStep& step) {
  fail_without_step(step);
}

void differentiate(const StateOp&, const BackwardStep& step) {
  fail_without_step(step);
}

void differentiate(const GatherOp&, const BackwardStep& step) {
  fail_without_step(step);
}

void differentiate(const UpdateOp&, const BackwardStep& step) {
  fail_without_step(step);
}

void differentiate(const OutputOp&, const BackwardStep& step) {
  fail_without_step(step);
}

void differentiate(const VjpOp&, const BackwardStep& step) {
  fail_without_step(step);
}

void differentiate(const DrawOp&, const BackwardStep& step) {
  fail_without_step(step);
}

// Row numbers are constant between jumps.
void differentiate(const TakeOp&, const BackwardStep& step) {
  const MutableRows& table = step.operand_gradients[0];
  for (std::uint32_t i = 0; i < step.op.rows; ++i) {
    add_row(step.gradient.row(i), table.row(row_number(step.operands[1], i)));
  }
}

// Row i reads every row j of the same number, and each of these row i: the op is its own transpose.
void differentiate(const SumEqualOp&, const BackwardStep& step) {
  if (!step.operand_gradients[0].present()) return;
  add_equal_sums(step.gradient, step.operands[1], step.operand_gradients[0]);
}

void differentiate(const ScatterSumOp&, const BackwardStep& step) {
  const MutableRows& rows = step.operand_gradients[0];
  for (std::uint32_t j = 0; j < rows.rows(); ++j) {
    add_row(step.gradient.row(row_number(step.operands[1], j)), rows.row(j));
  }
}

// An operand in the concat's place has the gradient already.
void differentiate(const ConcatOp&, const BackwardStep& step) {
  const std::span<const double> all = step.gradient.all();
  std::size_t begin = 0;
  for (const MutableRows& operand : step.operand_gradients) {
    const std::size_t size = operand.shape().size();
    if (operand.present() && !operand.stand_at(all.data() + begin)) {
      for (std::uint32_t i = 0; i < operand.rows(); ++i) {
        add_row(all.subspan(begin + i * size, size), operand.row(i));
      }
    }
    begin += operand.rows() * size;
  }
}

void differentiate(const LinearOp& linear, const BackwardStep& step) {
  LinearSide left(step.operands[0], linear.transpose_left, linear.lift_left);
  LinearSide right(step.operands[1], linear.transpose_right, linear.lift_right);
  const MutableRows& g_left = step.operand_gradients[0];
  const MutableRows& g_right = step.operand_gradients[1];
  for (std::uint32_t i = 0; i < step.op.rows; ++i) {
    if (is_zero(step.gradient.row(i))) continue;
    differentiate_times(left.element(i), right.element(i), step.gradient.row(i),
                        left.gradient(i, g_left), right.gradient(i, g_right));
    left.pass_on(i, g_left);
    right.pass_on(i, g_right);
  }
}

void differentiate(const SegmentOp& segment, const BackwardStep& step) {
  differentiate_segment(segment, step);
}

void differentiate(const TransformOp& transform, const BackwardStep& step) {
  const Rows& x = step.operands[0];
  for (std::uint32_t i = 0; i < step.op.rows; ++i) {
    if (is_zero(step.gradient.row(i))) continue;
    differentiate(transform.transformation, words_of(transform, i), x.shape(), x.row(i),
                  step.result.row(i), step.gradient.row(i), step.operand_gradients[0].row(i));
  }
}

void differentiate(const MapOp& map, const BackwardStep& step) {
  std::vector<Element> operands(step.operands.size());
  std::vector<std::span<double>> gradients(step.operands.size());
  for (std::uint32_t i = 0; i < step.op.rows; ++i) {
    if (is_zero(step.gradient.row(i))) continue;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const std::uint32_t row = step.operands[k].rows() == 1 ? 0 : i;
      operands[k] = step.operands[k].element(row);
      gradients[k] = step.operand_gradients[k].row(row);
    }
    differentiate(*map.expr, operands, step.gradient.row(i), gradients);
  }
}

// With h_t the gradient by row t, sum_t <h_t, row t> = sum_e <g_e, times(h_t, x_e)>, t the type of
// e: linear in g_e and in x_e.
void differentiate(const ContractOp& contract, const BackwardStep& step) {
  std::vector<double> product(step.operands[0].shape().size());
  for (std::uint32_t e = 0; e < contract.types.size(); ++e) {
    const Element h = step.gradient.element(contract.types[e]);
    if (is_zero(h.values)) continue;
    const Element x = step.operands[1].element(e);
    if (step.operand_gradients[0].present()) {
      times(h, x, product);
      add_row(product, step.operand_gradients[0].row(e));
    }
    differentiate_times(h, x, step.operands[0].row(e), {}, step.operand_gradients[1].row(e));
  }
}

}  // namespace

void differentiate_op(const BackwardStep& step) {
  std::visit([&](const auto& attributes) { differentiate(attributes, step); }, step.op.attributes);
}

bool reads_operand(const Op& op, std::size_t k, std::span<const bool> wanted) {
  switch (op.kind()) {
    case OpKind::Linear:
    case OpKind::Contract: return wanted[1 - k];  // bilinear
    case OpKind::Transform:
    case OpKind::Map: return true;
    case OpKind::Segment:
      return derivative_reads_elements(std::get<SegmentOp>(op.attributes).combination);
    case OpKind::Take:
    case OpKind::SumEqual:
    case OpKind::ScatterSum: return k == 1;  // the row numbers
    case OpKind::Fact:
    case OpKind::Weight:
    case OpKind::Concat:
    case OpKind::Gather:
    case OpKind::Vjp:
    case OpKind::Draw:
    case OpKind::State:
    case OpKind::Update:
    case OpKind::Output: return false;
  }
  fail_check("known op", __FILE__, __LINE__, std::string(text_of(op.kind())));
}

bool reads_result(const Op& op) {
  const auto* segment = std::get_if<SegmentOp>(&op.attributes);
  return op.kind() == OpKind::Transform ||
         (segment != nullptr && derivative_reads_result(segment->combination));
}

}  // namespace vecc::reference
