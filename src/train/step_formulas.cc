#include "src/train/step_formulas.h"

#include "src/train/formula.h"

namespace vecc {
namespace {

// Beside the norm that gradients are divided by, as in NeuraLogic and PyTorch.
constexpr double kNormEpsilon = 1e-6;

// Of the formulas that make a weight's new rows.
Formula old_weight() {
  return Formula::operand(0);
}
Formula learning_rate() {
  return Formula::operand(1);
}

Formula quotient(const Formula& numerator, const Formula& denominator) {
  return numerator * apply(Transformation::Inverse, denominator);
}

// The gradient with what decay adds to it. AdamW decays beside the gradient.
Formula decayed_gradient(const OptimizerOptions& options, const Formula& gradient,
                         const Formula& weight) {
  if (options.weight_decay == 0 || options.optimizer == Optimizer::AdamW) return gradient;
  return gradient + options.weight_decay * weight;
}

}  // namespace

Expr first_moment(const OptimizerOptions& options) {
  const bool sgd = options.optimizer == Optimizer::Sgd;
  const Formula gradient = decayed_gradient(options, Formula::operand(1), Formula::operand(2));
  const double kept = sgd ? options.momentum : options.beta1;
  const Formula added = sgd ? gradient : (1 - options.beta1) * gradient;
  return (kept * Formula::operand(0) + added).expr();
}

Expr second_moment(const OptimizerOptions& options) {
  const Formula gradient = decayed_gradient(options, Formula::operand(1), Formula::operand(2));
  const Formula square = apply(Transformation::Square, gradient);
  return (options.beta2 * Formula::operand(0) + (1 - options.beta2) * square).expr();
}

Expr descend(const OptimizerOptions& options) {
  return (old_weight() -
          learning_rate() * decayed_gradient(options, Formula::operand(2), old_weight()))
      .expr();
}

Expr descend_along_momentum() {
  return (old_weight() - learning_rate() * Formula::operand(2)).expr();
}

Expr descend_adaptively(const OptimizerOptions& options) {
  const Formula first = quotient(Formula::operand(2), Formula::operand(4));
  const Formula second = quotient(Formula::operand(3), Formula::operand(5));
  Formula step = quotient(first, apply(Transformation::Sqrt, second) + options.epsilon);
  if (options.optimizer == Optimizer::AdamW && options.weight_decay != 0) {
    step = step + options.weight_decay * old_weight();
  }
  return (old_weight() - learning_rate() * step).expr();
}

Expr clip_entries(double limit) {
  // Within the limits exactly the entry: both terms are 0.
  const Formula x = Formula::operand(0);
  const Formula above = apply(Transformation::Relu, x - limit);
  const Formula below = apply(Transformation::Relu, -limit - x);
  return (x - above + below).expr();
}

Expr sum_of_squares(Shape shape) {
  Formula x = Formula::operand(0);
  if (!shape.is_scalar()) x = reshape(x, Shape::column(static_cast<std::uint32_t>(shape.size())));
  return dot(x, x).expr();
}

Expr norm_of_squares() {
  return apply(Transformation::Sqrt, Formula::operand(0)).expr();
}

Expr clip_factor(double limit) {
  const Formula norm = apply(Transformation::Sqrt, Formula::operand(0));
  return smaller(quotient(limit, norm + kNormEpsilon), 1).expr();
}

Expr scale_entries() {
  return (Formula::operand(0) * Formula::operand(1)).expr();
}

}  // namespace vecc
