#include "src/kg/train/triple_loss.h"

#include <algorithm>
#include <cmath>

#include "src/kg/formulas/losses.h"

namespace vecc::kg {
namespace {

template <class T>
std::size_t count_negatives(std::span<const T> scores) {
  return scores.size() -
         static_cast<std::size_t>(std::count(scores.begin(), scores.end(), kNoNegative<T>));
}

// w_j, before scores are overwritten.
template <class T>
class NegativeWeights {
 public:
  NegativeWeights(double temperature, std::span<const T> scores)
      : temperature_(static_cast<T>(temperature)) {
    if (temperature != 0) largest_ = *std::max_element(scores.begin(), scores.end());
    for (const T score : scores) sum_ += term(score);
  }
  [[nodiscard]] T of(T score) const { return term(score) / sum_; }

 private:
  [[nodiscard]] T term(T score) const {
    return score == kNoNegative<T> ? T{0} : formulas::weight_term(temperature_, score, largest_);
  }
  T temperature_;
  T largest_ = 0;
  T sum_ = 0;
};

template <class T>
double margin_loss(const TripleLossOptions& options, T scale, T& positive, std::span<T> negatives) {
  const NegativeWeights<T> weights(options.adversarial, negatives);
  const T margin = static_cast<T>(options.margin);
  double loss = 0;
  T slope = 0;
  for (T& score : negatives) {
    if (score == kNoNegative<T>) {
      score = 0;
      continue;
    }
    const auto part = formulas::margin_part(margin, positive, score, weights.of(score));
    loss += static_cast<double>(part.loss);
    slope += part.derivative;
    score = part.derivative * scale;
  }
  positive = -slope * scale;
  return loss;
}

template <class T>
double logistic_loss(const TripleLossOptions& options, T scale, T& positive,
                     std::span<T> negatives) {
  const NegativeWeights<T> weights(options.adversarial, negatives);
  const T margin = static_cast<T>(options.margin);
  const T smoothing = static_cast<T>(options.label_smoothing);
  double loss = 0;
  const auto add = [&](T score, T label, T weight) {
    const auto part = formulas::logistic_part(margin + score, label, weight);
    loss += static_cast<double>(part.loss);
    return part.derivative * scale;
  };
  positive = add(positive, 1 - smoothing, 1);
  for (T& score : negatives) {
    score = score == kNoNegative<T> ? T{0} : add(score, smoothing, weights.of(score));
  }
  return loss;
}

template <class T>
double softmax_loss(const TripleLossOptions& options, T scale, T& positive,
                    std::span<T> negatives) {
  const auto count = static_cast<T>(count_negatives<T>(negatives));
  if (count == 0) {
    positive = 0;
    std::fill(negatives.begin(), negatives.end(), T{0});
    return 0;
  }
  const T largest = std::max(positive, *std::max_element(negatives.begin(), negatives.end()));
  const T label = 1 - static_cast<T>(options.label_smoothing);
  const T other = static_cast<T>(options.label_smoothing) / count;
  T sum = formulas::exponential(positive - largest);
  T mean = label * (positive - largest);  // of the scores by their labels
  for (const T score : negatives) {
    if (score == kNoNegative<T>) continue;
    sum += formulas::exponential(score - largest);
    mean += other * (score - largest);
  }
  positive = formulas::softmax_derivative(positive, largest, sum, label) * scale;
  for (T& score : negatives) {
    const T slope =
        score == kNoNegative<T> ? T{0} : formulas::softmax_derivative(score, largest, sum, other);
    score = slope * scale;
  }
  return static_cast<double>(std::log(sum) - mean);
}

// body(score, label) of each.
template <class T, class Body>
void each_labelled(std::span<const KnownTriples::Row> answers, formulas::AnswerLabels<T> labels,
                   std::span<T> scores, const Body& body) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const bool is_answer = at < answers.size() && answers[at][2] == i;
    if (is_answer) ++at;
    body(scores[i], is_answer ? labels.answer : labels.other);
  }
}

}  // namespace

std::string_view text_of(TripleLoss loss) {
  switch (loss) {
    case TripleLoss::Margin: return "margin";
    case TripleLoss::Logistic: return "logistic";
    case TripleLoss::Softmax: return "softmax";
  }
  return {};
}

template <class T>
double triple_loss(const TripleLossOptions& options, double scale, T& positive,
                   std::span<T> negatives) {
  // Tiles make -infinity of a NaN, so that only a positive shows one.
  if (!std::isfinite(positive)) return std::numeric_limits<double>::quiet_NaN();
  const T factor = static_cast<T>(scale);
  switch (options.loss) {
    case TripleLoss::Margin: return margin_loss(options, factor, positive, negatives);
    case TripleLoss::Logistic: return logistic_loss(options, factor, positive, negatives);
    case TripleLoss::Softmax: break;
  }
  return softmax_loss(options, factor, positive, negatives);
}

template <class T>
double labelled_loss(const TripleLossOptions& options, double scale,
                     std::span<const KnownTriples::Row> answers, std::span<T> scores) {
  const auto is_finite = [](T score) { return std::isfinite(score); };
  if (!std::all_of(scores.begin(), scores.end(), is_finite)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const T factor = static_cast<T>(scale);
  const T smoothing = static_cast<T>(options.label_smoothing);
  const auto entities = static_cast<std::uint32_t>(scores.size());
  double loss = 0;
  if (options.loss == TripleLoss::Logistic) {
    const T margin = static_cast<T>(options.margin);
    const auto labels = formulas::logistic_labels(smoothing, entities);
    each_labelled(answers, labels, scores, [&](T& score, T label) {
      const auto part = formulas::logistic_part(margin + score, label, T{1});
      loss += static_cast<double>(part.loss);
      score = part.derivative * factor;
    });
    return loss;
  }
  const T largest = *std::max_element(scores.begin(), scores.end());
  T sum = 0;
  for (const T score : scores) sum += formulas::exponential(score - largest);
  const auto labels =
      formulas::softmax_labels(smoothing, static_cast<std::uint32_t>(answers.size()), entities);
  each_labelled(answers, labels, scores, [&](T& score, T label) {
    loss -= static_cast<double>(label * (score - largest));
    score = formulas::softmax_derivative(score, largest, sum, label) * factor;
  });
  return loss + static_cast<double>(std::log(sum));
}

template double triple_loss(const TripleLossOptions&, double, float&, std::span<float>);
template double triple_loss(const TripleLossOptions&, double, double&, std::span<double>);
template double labelled_loss(const TripleLossOptions&, double, std::span<const KnownTriples::Row>,
                              std::span<float>);
template double labelled_loss(const TripleLossOptions&, double, std::span<const KnownTriples::Row>,
                              std::span<double>);

}  // namespace vecc::kg
