#include "src/train/clip_formulas.h"

#include "src/train/formula.h"

namespace vecc::training {
namespace {

// Beside the norm that gradients are divided by, as in NeuraLogic and PyTorch.
constexpr double kNormEpsilon = 1e-6;

}  // namespace

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
  return smaller(limit / (norm + kNormEpsilon), 1).expr();
}

Expr scale_entries() {
  return (Formula::operand(0) * Formula::operand(1)).expr();
}

}  // namespace vecc::training
