#include "src/train/clip_gradients.h"

#include "src/train/formula.h"
#include "src/train/sum_rows.h"

namespace vecc::training {
namespace {

// Beside the norm that gradients are divided by, as in NeuraLogic and PyTorch.
constexpr double kNormEpsilon = 1e-6;

// `$0`, the gradient, with entries within +-limit.
Expr clip_entries(double limit) {
  // Within the limits exactly the entry: both terms are 0.
  const Formula x = Formula::operand(0);
  const Formula above = apply(Transformation::Relu, x - limit);
  const Formula below = apply(Transformation::Relu, -limit - x);
  return (x - above + below).expr();
}

// The sum of squares of `$0`, of this shape.
Expr sum_of_squares(Shape shape) {
  Formula x = Formula::operand(0);
  if (!shape.is_scalar()) x = reshape(x, Shape::column(static_cast<std::uint32_t>(shape.size())));
  return dot(x, x).expr();
}

// Of `$0`, the sum of all squares: the norm, and what to multiply gradients with so that none is
// longer than `limit`.
Expr norm_of_squares() {
  return apply(Transformation::Sqrt, Formula::operand(0)).expr();
}

Expr clip_factor(double limit) {
  const Formula norm = apply(Transformation::Sqrt, Formula::operand(0));
  return smaller(limit / (norm + kNormEpsilon), 1).expr();
}

// `$0` times `$1`, a scalar.
Expr scale_entries() {
  return (Formula::operand(0) * Formula::operand(1)).expr();
}

// The sum of squares of all gradients' entries: one scalar.
ValueId sum_all_squares(Program& program, std::span<const ValueId> gradients) {
  std::vector<ValueId> sums;
  for (const ValueId gradient : gradients) {
    const Expr squares = sum_of_squares(program.op(gradient).shape);
    sums.push_back(sum_rows(program, program.map(squares, std::span(&gradient, 1), "step: norm")));
  }
  return sum_rows(program, program.concat(sums, "step: norm"));
}

void clip_norm(Program& program, double limit, ClippedGradients& clipped) {
  const ValueId squares = sum_all_squares(program, clipped.gradients);
  clipped.norm = program.map(norm_of_squares(), std::span(&squares, 1), "step: norm");
  const ValueId factor = program.map(clip_factor(limit), std::span(&squares, 1), "step: clip");
  for (ValueId& gradient : clipped.gradients) {
    const ValueId operands[] = {gradient, factor};
    gradient = program.map(scale_entries(), operands, "step: clip");
  }
}

}  // namespace

ClippedGradients clip_gradients(Program& program, std::span<const ParameterGradient> gradients,
                                const OptimizerOptions& options) {
  ClippedGradients clipped;
  for (const ParameterGradient& each : gradients) clipped.gradients.push_back(each.gradient);
  if (options.clip_norm && !gradients.empty()) clip_norm(program, *options.clip_norm, clipped);
  if (!options.clip_value) return clipped;
  for (ValueId& gradient : clipped.gradients) {
    gradient =
        program.map(clip_entries(*options.clip_value), std::span(&gradient, 1), "step: clip");
  }
  return clipped;
}

}  // namespace vecc::training
