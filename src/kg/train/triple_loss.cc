#include "src/kg/train/triple_loss.h"

#include <algorithm>
#include <cmath>

namespace vecc::kg {
namespace {

// log(1 + exp x) and its derivative, without overflow.
template <class T>
struct Softplus {
  T value;
  T slope;

  explicit Softplus(T x) {
    const T small = std::exp(-std::abs(x));
    value = std::max(x, T{0}) + std::log1p(small);
    slope = (x >= 0 ? T{1} : small) / (1 + small);
  }
};

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
    if (temperature == 0) {
      sum_ = static_cast<T>(count_negatives(scores));
      return;
    }
    const T largest = *std::max_element(scores.begin(), scores.end());
    shift_ = largest;
    for (const T score : scores) sum_ += exponential(score);
  }
  [[nodiscard]] T of(T score) const {
    return (temperature_ == 0 ? T{1} : exponential(score)) / sum_;
  }

 private:
  [[nodiscard]] T exponential(T score) const {
    return score == kNoNegative<T> ? T{0} : std::exp(temperature_ * (score - shift_));
  }
  T temperature_;
  T shift_ = 0;
  T sum_ = 0;
};

template <class T>
double margin_loss(const TripleLossOptions& options, T scale, T& positive, std::span<T> negatives) {
  const NegativeWeights<T> weights(options.adversarial, negatives);
  const T margin = static_cast<T>(options.margin) - positive;
  double loss = 0;
  T slope = 0;
  for (T& score : negatives) {
    const T excess = margin + score;
    if (!(excess > 0)) {
      score = 0;
      continue;
    }
    const T weight = weights.of(score);
    loss += static_cast<double>(weight) * static_cast<double>(excess);
    slope += weight;
    score = weight * scale;
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
  // Label y: softplus(x) - y x, since softplus(-x) = softplus(x) - x.
  const auto add = [&](T x, T label, T weight, double& loss) {
    const Softplus<T> softplus(x);
    loss += static_cast<double>(weight) * static_cast<double>(softplus.value - label * x);
    return weight * (softplus.slope - label) * scale;
  };
  double loss = 0;
  positive = add(margin + positive, 1 - smoothing, 1, loss);
  for (T& score : negatives) {
    score =
        score == kNoNegative<T> ? T{0} : add(margin + score, smoothing, weights.of(score), loss);
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
  T sum = std::exp(positive - largest);
  T mean = label * (positive - largest);  // of the scores by their labels
  for (const T score : negatives) {
    if (score == kNoNegative<T>) continue;
    sum += std::exp(score - largest);
    mean += other * (score - largest);
  }
  positive = (std::exp(positive - largest) / sum - label) * scale;
  for (T& score : negatives) {
    score = score == kNoNegative<T> ? T{0} : (std::exp(score - largest) / sum - other) * scale;
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
