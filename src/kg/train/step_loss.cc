#include "src/kg/train/step_loss.h"

#include <utility>

#include "src/train/formula.h"

namespace vecc::kg {
namespace {

using training::Formula;

Formula softplus(const Formula& x) {
  return apply(Transformation::Softplus, x);
}
// Of a binary label.
Formula cross_entropy(const Formula& x, const Formula& label) {
  return label * softplus(-x) + (1 - label) * softplus(x);
}
// The same, of a label that all have.
Formula cross_entropy_of(const Formula& x, double label) {
  if (label == 0) return softplus(x);
  if (label == 1) return softplus(-x);
  return cross_entropy(x, label);
}
// Of what is 0, or 1 and more: a divisor.
Formula or_one(const Formula& x) {
  return training::at_least(x, 1);
}
Formula largest_of_two(const Formula& x, const Formula& y) {
  return -training::smaller(-x, -y);
}

class LossAppender {
 public:
  LossAppender(Program& program, const ScoredQueries& of, const TripleLossOptions& options,
               StepLoss& loss)
      : program_(program),
        of_(of),
        options_(options),
        loss_(loss),
        scale_(1 / static_cast<double>(of.count)) {}

  void append() {
    if (of_.has_labels) return append_labelled();
    switch (options_.loss) {
      case TripleLoss::Margin: return append_margin();
      case TripleLoss::Logistic: return append_logistic();
      case TripleLoss::Softmax: return append_softmax();
    }
  }

 private:
  ValueId map(const Formula& formula, std::vector<ValueId> operands) {
    return program_.map(formula.expr(), operands, "loss");
  }
  // By query, over its negatives.
  ValueId reduce(ValueId values, Combination combination) {
    return program_.segment(values, Segments::fixed(of_.negatives), combination, "loss");
  }
  // A query's number beside each of its negatives.
  ValueId spread(ValueId by_query) {
    return program_.gather(by_query, Index::interleave(of_.count, of_.negatives), "loss");
  }
  static Formula in(std::uint32_t k) { return Formula::operand(k); }

  // A score and the margin of logistic.
  [[nodiscard]] Formula shifted() const {
    return options_.margin == 0 ? in(0) : options_.margin + in(0);
  }

  // A value whose entries weigh so much; weights are no part of what is differentiated.
  void add(ValueId value, ValueId weights) {
    loss_.terms.push_back(map(in(0) * in(1), {value, weights}));
    loss_.seeds.push_back({value, weights});
  }

  // Scores of negatives; what is none is far below all others.
  ValueId scores_of_negatives() {
    const double far = program_.dtype() == DType::F32 ? 1e30 : 1e300;
    return map(in(0) * in(1) + far * (in(1) - 1), {of_.scores, of_.counts});
  }

  // scale * w_j.
  ValueId weights() {
    if (options_.adversarial == 0) {
      const ValueId each = map(scale_ / or_one(in(0)), {reduce(of_.counts, Combination::Sum)});
      return map(in(0) * in(1), {of_.counts, spread(each)});
    }
    const ValueId scores = scores_of_negatives();
    const ValueId largest = spread(reduce(scores, Combination::Max));
    const Formula power = apply(Transformation::Exp, options_.adversarial * (in(0) - in(1)));
    const ValueId raw = map(in(2) * power, {scores, largest, of_.counts});
    const ValueId each = map(scale_ / or_one(in(0)), {reduce(raw, Combination::Sum)});
    return map(in(0) * in(1), {raw, spread(each)});
  }

  void append_margin() {
    const Formula excess = apply(Transformation::Relu, options_.margin - in(0) + in(1));
    add(map(excess, {spread(of_.positive), of_.scores}), weights());
  }

  void append_logistic() {
    const double smooth = options_.label_smoothing;
    add_loss_term(program_, map(cross_entropy_of(shifted(), 1 - smooth), {of_.positive}), scale_,
                  loss_);
    add(map(cross_entropy_of(shifted(), smooth), {of_.scores}), weights());
  }

  // The logarithm of the sum of exponentials of a query's scores, with its positive's if it has
  // one.
  ValueId log_of_sum(ValueId scores) {
    const ValueId of_negatives = reduce(scores, Combination::Max);
    const ValueId largest = of_.has_labels
                                ? of_negatives
                                : map(largest_of_two(in(0), in(1)), {of_negatives, of_.positive});
    const Formula power = apply(Transformation::Exp, in(0) - in(1));
    const ValueId sum = reduce(map(power, {scores, spread(largest)}), Combination::Sum);
    if (of_.has_labels) return map(apply(Transformation::Log, in(0)) + in(1), {sum, largest});
    const Formula all = in(0) + apply(Transformation::Exp, in(2) - in(1));
    return map(apply(Transformation::Log, all) + in(1), {sum, largest, of_.positive});
  }

  // Without a negative it is 0.
  void append_softmax() {
    const ValueId log_sum = log_of_sum(scores_of_negatives());
    const ValueId count = reduce(of_.counts, Combination::Sum);
    const double smooth = options_.label_smoothing;
    ValueId value = map(in(0) - (1 - smooth) * in(1), {log_sum, of_.positive});
    if (smooth > 0) {
      const ValueId sum = reduce(map(in(0) * in(1), {of_.scores, of_.counts}), Combination::Sum);
      value = map(in(0) - smooth * in(1) / or_one(in(2)), {value, sum, count});
    }
    add(value, map(scale_ * (in(0) / or_one(in(0))), {count}));
  }

  void append_labelled() {
    if (options_.loss == TripleLoss::Logistic) {
      const ValueId each = map(cross_entropy(shifted(), in(1)), {of_.scores, of_.counts});
      return add_loss_term(program_, each, scale_, loss_);
    }
    const ValueId mean = reduce(map(in(0) * in(1), {of_.scores, of_.counts}), Combination::Sum);
    const ValueId value = map(in(0) - in(1), {log_of_sum(of_.scores), mean});
    add_loss_term(program_, value, scale_, loss_);
  }

  Program& program_;
  const ScoredQueries& of_;
  const TripleLossOptions& options_;
  StepLoss& loss_;
  double scale_;
};

}  // namespace

void append_triple_loss(Program& program, const ScoredQueries& of, const TripleLossOptions& options,
                        StepLoss& loss) {
  LossAppender(program, of, options, loss).append();
}

void add_loss_term(Program& program, ValueId value, double factor, StepLoss& loss) {
  const std::uint32_t rows = program.op(value).rows;
  const Shape shape = program.op(value).shape;
  ValueId seed = program.fact({factor}, 1, Shape::scalar(), "loss");
  seed = program.gather(seed, Index::repeat(1, rows), "loss");
  if (!shape.is_scalar()) {
    seed = program.transform(seed, {.id = Transformation::Broadcast, .target = shape}, {}, "loss");
  }
  const ValueId operands[] = {value, seed};
  const Formula weighted = Formula::operand(0) * Formula::operand(1);
  loss.terms.push_back(program.map(weighted.expr(), operands, "loss"));
  loss.seeds.push_back({value, seed});
}

ValueId sum_of_terms(Program& program, const StepLoss& loss) {
  std::vector<ValueId> sums;
  for (const ValueId term : loss.terms) {
    const std::uint32_t rows = program.op(term).rows;
    ValueId sum = program.segment(term, Segments::ragged({0, rows}), Combination::Sum, "loss");
    const Shape shape = program.op(sum).shape;
    if (!shape.is_scalar()) {
      const auto size = static_cast<std::uint32_t>(shape.size());
      const ValueId ones = program.fact(std::vector<double>(size, 1), 1, Shape::row(size), "loss");
      sum = program.linear(ones, sum, {}, "loss");
    }
    sums.push_back(sum);
  }
  const auto count = static_cast<std::uint32_t>(sums.size());
  return program.segment(program.concat(sums, "loss"), Segments::ragged({0, count}),
                         Combination::Sum, "loss");
}

}  // namespace vecc::kg
