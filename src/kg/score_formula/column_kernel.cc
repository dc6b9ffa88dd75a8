#include "src/kg/score_formula/column_kernel.h"

#include <optional>
#include <utility>
#include <vector>

namespace vecc::kg {
namespace {

using Kind = KernelNode::Kind;

bool is_vector(const Shape& shape) {
  return shape.rows() == 1 || shape.cols() == 1;
}

// The operand whose numbers a node has in another shape, if it has.
std::optional<std::uint32_t> reshaped(const Kernel& kernel, const KernelNode& node) {
  const bool is_vjp = node.kind == Kind::TransformVjp && !node.reads_x && !node.reads_y;
  if (node.kind != Kind::Transform && !is_vjp) return std::nullopt;
  const std::uint32_t of = node.operands[0];
  const Transformation id = node.transformation.id;
  const bool keeps_order = id == Transformation::Reshape ||
                           (id == Transformation::Transp && is_vector(kernel.nodes[of].shape));
  return keeps_order ? std::optional(of) : std::nullopt;
}

class ColumnMaker {
 public:
  explicit ColumnMaker(ScoreKernel kernel) : from_(std::move(kernel)) {}

  ScoreKernel make() {
    ScoreKernel to = from_;
    nodes_ = &to.kernel.nodes;
    nodes_->clear();
    value_.assign(from_.kernel.nodes.size(), kNone);
    column_.assign(from_.kernel.nodes.size(), kNone);
    for (KernelPhase& phase : to.kernel.phases) {
      std::vector<KernelStep> steps;
      std::swap(steps, phase.steps);
      phase_ = &phase;
      for (const KernelStep& step : steps) {
        if (step.store) {
          KernelStore& store = to.kernel.stores[step.number];
          store.value = value_[store.value];
          phase.steps.push_back(step);
        } else {
          add(step.number);
        }
      }
    }
    return to;
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;

  std::uint32_t emit(KernelNode node) {
    nodes_->push_back(std::move(node));
    phase_->steps.push_back({false, static_cast<std::uint32_t>(nodes_->size() - 1)});
    return static_cast<std::uint32_t>(nodes_->size() - 1);
  }
  void add(std::uint32_t number) {
    const KernelNode& node = from_.kernel.nodes[number];
    if (const auto of = reshaped(from_.kernel, node);
        of && is_vector(node.shape) && column_[*of] != kNone) {
      column_[number] = column_[*of];
      value_[number] = in_shape(column_[*of], node.shape);
    } else if (node.kind == Kind::Times) {
      add_times(number);
    } else {
      KernelNode same = node;
      for (std::uint32_t& operand : same.operands) operand = value_[operand];
      value_[number] = emit(std::move(same));
      if (node.shape.cols() == 1) column_[number] = value_[number];
    }
  }
  // A column as a vector of another shape.
  std::uint32_t in_shape(std::uint32_t column, Shape shape) {
    if ((*nodes_)[column].shape == shape) return column;
    KernelNode node;
    node.kind = Kind::Transform;
    node.shape = shape;
    node.operands = {column};
    node.transformation.id = Transformation::Reshape;
    node.transformation.target = shape;
    return emit(std::move(node));
  }

  void add_times(std::uint32_t number) {
    KernelNode node = from_.kernel.nodes[number];
    const auto shape_of = [&](std::uint32_t operand, bool transposed) {
      const Shape shape = from_.kernel.nodes[operand].shape;
      return transposed ? shape.transposed() : shape;
    };
    const std::uint32_t left = node.operands[0];
    const std::uint32_t right = node.operands[1];
    const Shape l = shape_of(left, node.transpose_left);
    const Shape r = shape_of(right, node.transpose_right);
    const bool scales = l.is_scalar() || r.is_scalar();
    const auto as_column = [&](std::uint32_t of, const Shape& shape) {
      return !scales && is_vector(shape) && column_[of] != kNone;
    };
    node.operands = {value_[left], value_[right]};
    if (l.rows() == 1 && l.cols() > 1 && r.cols() > 1 && as_column(left, l)) {
      // x^T A is the transpose of A^T x.
      node.operands = {value_[right], column_[left]};
      node.transpose_left = !node.transpose_right;
      node.transpose_right = false;
      const Shape row = node.shape;
      node.shape = row.transposed();
      column_[number] = emit(std::move(node));
      value_[number] = in_shape(column_[number], row);
      return;
    }
    if (as_column(left, l)) {
      node.operands[0] = column_[left];
      node.transpose_left = l.cols() > 1;
    }
    if (as_column(right, r)) {
      node.operands[1] = column_[right];
      node.transpose_right = r.cols() > 1;
    }
    const bool is_column = node.shape.cols() == 1;
    value_[number] = emit(std::move(node));
    if (is_column) column_[number] = value_[number];
  }

  ScoreKernel from_;
  std::vector<KernelNode>* nodes_ = nullptr;
  KernelPhase* phase_ = nullptr;
  std::vector<std::uint32_t> value_;   // by node: the new one
  std::vector<std::uint32_t> column_;  // by node: a new one with its numbers as a column
};

}  // namespace

ScoreKernel with_columns(ScoreKernel kernel) {
  return ColumnMaker(std::move(kernel)).make();
}

}  // namespace vecc::kg
