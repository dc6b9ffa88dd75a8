#include "src/train/loss_formulas.h"

#include <cmath>
#include <utility>

#include "src/train/formula.h"

namespace vecc::training {
namespace {

// -ln p is capped at 100, 1 / p at 1e10: NeuraLogic's caps.
const double kSmallestProbability = std::exp(-100.0);
constexpr double kLargestInverse = 1e10;

Formula minus_log(const Formula& probability) {
  return -apply(Transformation::Log, at_least(probability, kSmallestProbability));
}

Formula capped_inverse(const Formula& probability) {
  return apply(Transformation::Inverse, at_least(probability, 1 / kLargestInverse));
}

struct ErrorAndGradient {
  Formula error;
  Formula gradient;
};

// The formulas of an output o and its target t: scalars, or columns of n.
class SampleLoss {
 public:
  SampleLoss(const LossOptions& options, Formula output, Formula target, Shape shape)
      : options_(options), o_(std::move(output)), t_(std::move(target)), shape_(shape) {}

  [[nodiscard]] ErrorAndGradient formulas() const {
    switch (options_.loss) {
      case Loss::SquaredDiff: return squared_diff();
      case Loss::AbsoluteDiff: return absolute_diff();
      case Loss::CrossEntropy: return shape_.is_scalar() ? binary() : categorical();
      case Loss::SoftEntropy: return shape_.is_scalar() ? logistic() : soft_categorical();
      case Loss::BinaryCrossEntropy: return logistic();
      case Loss::MarginRanking: break;
    }
    fail_check("a loss of single samples", __FILE__, __LINE__, std::string(text_of(options_.loss)));
  }

 private:
  [[nodiscard]] ErrorAndGradient squared_diff() const {
    const auto n = static_cast<double>(shape_.size());
    const Formula difference = o_ - t_;
    const double factor = options_.neuralogic_gradients ? 2 : 2 / n;
    return {Formula(1 / n) * dot(difference, difference), Formula(factor) * difference};
  }

  // The gradient is the sign: 1 above the target, -1 below, 0 at it.
  [[nodiscard]] ErrorAndGradient absolute_diff() const {
    const Formula share(1 / static_cast<double>(shape_.size()));
    const Formula difference = o_ - t_;
    const Formula errors = apply(Transformation::Abs, difference);
    return {share * (shape_.is_scalar() ? errors : dot(errors, broadcast(1, shape_))),
            share * (apply(Transformation::Signum, difference) -
                     apply(Transformation::Signum, -difference))};
  }

  // Entry by entry: 1 if the target says so, and the probability that the output gives to that.
  [[nodiscard]] Formula target_class() const { return apply(Transformation::Signum, t_ - 0.5); }
  [[nodiscard]] Formula probability_of_class() const {
    const Formula one = target_class();
    return one * o_ + apply(Transformation::Reverse, one) * apply(Transformation::Reverse, o_);
  }
  // By the output: -1 / o in class 1, 1 / (1 - o) in class 0.
  [[nodiscard]] Formula binary_gradient() const {
    const Formula sign = Formula(1) - Formula(2) * target_class();
    return sign * capped_inverse(probability_of_class());
  }

  [[nodiscard]] ErrorAndGradient binary() const {
    return {minus_log(probability_of_class()), binary_gradient()};
  }

  [[nodiscard]] ErrorAndGradient categorical() const {
    return {dot(t_, minus_log(o_)),
            options_.neuralogic_gradients ? binary_gradient() : -t_ * capped_inverse(o_)};
  }

  // The sum over the elements of max(o, 0) - t o + ln(1 + e^-|o|): no exponential overflows.
  [[nodiscard]] ErrorAndGradient logistic() const {
    const Formula tail = apply(Transformation::Exp, -apply(Transformation::Abs, o_));
    const Formula errors =
        apply(Transformation::Relu, o_) - t_ * o_ + apply(Transformation::Log, 1 + tail);
    return {shape_.is_scalar() ? errors : dot(errors, broadcast(1, shape_)),
            apply(Transformation::Sigmoid, o_) - t_};
  }

  [[nodiscard]] ErrorAndGradient soft_categorical() const {
    const Formula softmax = apply(Transformation::Softmax, o_);
    const Formula all = dot(t_, broadcast(1, shape_));  // 1 of a distribution
    return {-dot(t_, apply(Transformation::LogSoftmax, o_)),
            (options_.neuralogic_gradients ? softmax : all * softmax) - t_};
  }

  const LossOptions& options_;
  Formula o_;
  Formula t_;
  Shape shape_;
};

}  // namespace

LossFormulas sample_formulas(const LossOptions& options, Shape output) {
  const Shape inner = output.size() == 1 ? Shape::scalar()
                                         : Shape::column(static_cast<std::uint32_t>(output.size()));
  const auto shaped = [](Formula x, Shape from, Shape to) {
    return from == to ? x : reshape(std::move(x), to);
  };
  const auto [error, gradient] = SampleLoss(options, shaped(Formula::operand(0), output, inner),
                                            shaped(Formula::operand(1), output, inner), inner)
                                     .formulas();
  return {error.expr(), (Formula::operand(2) * shaped(gradient, inner, output)).expr()};
}

LossFormulas pair_formulas(double margin) {
  const Formula missing = margin - Formula::operand(0) + Formula::operand(1);
  return {apply(Transformation::Relu, missing).expr(),
          (Formula::operand(2) * apply(Transformation::Signum, missing)).expr()};
}

Expr weighted_error() {
  return (Formula::operand(0) * Formula::operand(1)).expr();
}

}  // namespace vecc::training
