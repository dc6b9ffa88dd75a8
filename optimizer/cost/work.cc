#include "optimizer/cost/work.h"

#include <algorithm>

namespace vecc::opt {
namespace {

// An op of a Program while its work is counted.
class Counter {
 public:
  Counter(const Program& program, ValueId value) : program_(program), op_(program.op(value)) {}

  [[nodiscard]] Work count() const {
    return std::visit([&](const auto& attributes) { return of(attributes); }, op_.attributes);
  }

 private:
  static Work of(const FactOp&) { return {}; }
  static Work of(const WeightOp&) { return {}; }
  static Work of(const StateOp&) { return {}; }
  static Work of(const OutputOp&) { return {}; }

  [[nodiscard]] Work of(const ConcatOp&) const {
    const double parts = static_cast<double>(op_.operands.size());
    return {parts > 1 ? 1.0 : 0.0, 2 * bytes(op_), 0, 0};
  }

  [[nodiscard]] Work of(const GatherOp& gather) const {
    switch (gather.index.form()) {
      case Index::Form::Slice:
      case Index::Form::Stride: return {};
      case Index::Form::Repeat:
      case Index::Form::Interleave:
      case Index::Form::List: break;
    }
    return {1, 2 * bytes(op_) + static_cast<double>(gather.index.bytes()), 0, 0};
  }

  [[nodiscard]] Work of(const LinearOp& linear) const {
    const auto shape = [](bool transpose, Shape s) { return transpose ? s.transposed() : s; };
    const std::uint64_t each = multiply_adds(shape(linear.transpose_left, operand(0).shape),
                                             shape(linear.transpose_right, operand(1).shape));
    const double products = static_cast<double>(each) * op_.rows;
    const double moved = operand_bytes() + bytes(op_);
    if (is_batch(linear)) return {1, 0, moved, products};
    return {1, moved, 0, products};
  }

  // Neither side is a scalar or the same for many rows.
  [[nodiscard]] bool is_batch(const LinearOp& linear) const {
    const auto varies = [&](std::size_t k, const Lift& lift) {
      return !operand(k).shape.is_scalar() && lift.kind == Lift::Kind::None;
    };
    return op_.rows > 1 && varies(0, linear.lift_left) && varies(1, linear.lift_right);
  }

  [[nodiscard]] Work of(const SegmentOp& segment) const {
    double launches = 1;
    switch (segment.combination) {
      case Combination::Concat: return {};  // no data moves
      case Combination::Count: return {};   // constant
      case Combination::Sum:
      case Combination::ElProduct: break;
      case Combination::Avg: launches = 2; break;
      case Combination::Max:
      case Combination::Min:
      case Combination::ElMax:
      case Combination::ElMin:
      case Combination::Softmax:
      case Combination::Sparsemax:
      case Combination::Product:
      case Combination::CrossSum:
      case Combination::CosSim:
      case Combination::FunctionGraph: launches = 5; break;
    }
    const double offsets = static_cast<double>(segment.segments.offsets().size_bytes());
    return {launches, operand_bytes() + bytes(op_) + offsets, 0,
            static_cast<double>(operand(0).size())};
  }

  [[nodiscard]] Work of(const TransformOp&) const {
    return {1, operand_bytes() + bytes(op_), 0, static_cast<double>(op_.size())};
  }

  [[nodiscard]] Work of(const MapOp& map) const {
    const auto inner =
        static_cast<double>(std::ranges::count_if(map.expr->nodes, [](const ExprNode& node) {
          return node.kind != ExprNode::Kind::Input && node.kind != ExprNode::Kind::Constant;
        }));
    return {inner, operand_bytes() + bytes(op_) * (2 * inner - 1), 0,
            inner * static_cast<double>(op_.size())};
  }

  [[nodiscard]] Work of(const ContractOp& contract) const {
    const std::uint64_t each = multiply_adds(contract.weight_shape, operand(1).shape);
    return {1, operand_bytes() + bytes(op_), 0, static_cast<double>(each) * operand(1).rows};
  }

  [[nodiscard]] Work of(const VjpOp&) const {
    return {2, operand_bytes() + bytes(op_), 0, 2 * static_cast<double>(op_.size())};
  }

  [[nodiscard]] Work of(const DrawOp&) const {
    constexpr double kDraw = 20;  // products of Philox's ten rounds
    return {1, bytes(op_), 0, kDraw * op_.rows};
  }
  [[nodiscard]] Work of(const TakeOp&) const {
    return {1, 2 * bytes(op_) + bytes(operand(1)), 0, 0};
  }
  // Row numbers are sorted before, in about as many passes as they have bytes.
  [[nodiscard]] Work of(const SumEqualOp&) const { return of_sorted_sum(); }
  [[nodiscard]] Work of(const ScatterSumOp&) const { return of_sorted_sum(); }
  [[nodiscard]] Work of_sorted_sum() const {
    constexpr double kPasses = 4;
    return {kPasses + 1, bytes(operand(0)) + bytes(op_) + (2 * kPasses + 1) * bytes(operand(1)), 0,
            static_cast<double>(operand(0).size())};
  }

  // By a value: the row numbers, too.
  [[nodiscard]] Work of(const UpdateOp&) const {
    const double numbers = op_.operands.size() == 3 ? bytes(operand(2)) : 0;
    return {1, 2 * bytes(op_) + numbers, 0, 0};
  }

  [[nodiscard]] const Op& operand(std::size_t k) const { return program_.op(op_.operands[k]); }
  [[nodiscard]] static double bytes(const Op& op) {
    return static_cast<double>(op.size()) * byte_size(op.dtype);
  }
  [[nodiscard]] double operand_bytes() const {
    double sum = 0;
    for (const ValueId v : op_.operands) sum += bytes(program_.op(v));
    return sum;
  }

  const Program& program_;
  const Op& op_;
};

}  // namespace

std::uint64_t multiply_adds(Shape left, Shape right) {
  if (left.is_scalar()) return right.size();
  if (right.is_scalar()) return left.size();
  return left.size() * right.cols();
}

Work work_of(const Program& program, ValueId value) {
  return Counter(program, value).count();
}

}  // namespace vecc::opt

namespace vecc {

Work& Work::operator+=(const Work& other) {
  launches += other.launches;
  bytes += other.bytes;
  batch_bytes += other.batch_bytes;
  multiply_adds += other.multiply_adds;
  return *this;
}

Work work_of(const Program& program) {
  Work sum;
  for (ValueId value = 0; value < program.ops().size(); ++value) {
    sum += opt::work_of(program, value);
  }
  return sum;
}

}  // namespace vecc
