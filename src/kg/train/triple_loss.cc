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

template double triple_loss(const TripleLossOptions&, double, float&, std::span<float>);
template double triple_loss(const TripleLossOptions&, double, double&, std::span<double>);

}  // namespace vecc::kg
