#include "backends/torch/linear_operands.h"

namespace vecc::libtorch {

std::vector<std::uint32_t> count_readers(const Program& program) {
  std::vector<std::uint32_t> readers(program.ops().size());
  for (const Op& op : program.ops()) {
    for (const ValueId operand : op.operands) ++readers[operand];
  }
  return readers;
}

bool is_transposed(const LinearOp& linear, std::uint32_t side) {
  return side == 0 ? linear.transpose_left : linear.transpose_right;
}

const Lift& lift_of(const LinearOp& linear, std::uint32_t side) {
  return side == 0 ? linear.lift_left : linear.lift_right;
}

bool is_lifted(const Lift& lift) {
  return lift.kind != Lift::Kind::None && lift.times != 1;
}

std::uint32_t row_before(const Lift& lift, std::uint32_t rows, std::uint32_t e) {
  switch (lift.kind) {
    case Lift::Kind::None: return e;
    case Lift::Kind::Repeat: return e % rows;
    case Lift::Kind::Interleave: return e / lift.times;
  }
  return e;
}

}  // namespace vecc::libtorch
