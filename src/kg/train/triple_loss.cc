#include "src/kg/train/triple_loss.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "src/kg/formulas/losses.h"
#include "src/kg/train/loss_kernels.h"

namespace vecc::kg {
namespace {

template <class T>
std::size_t count_negatives(std::span<const T> scores) {
  return scores.size() -
         static_cast<std::size_t>(std::count(scores.begin(), scores.end(), kNoNegative<T>));
}

// What they share, before scores are overwritten.
template <class T>
LossOfNegatives<T> loss_of_negatives(const TripleLossOptions& options, T scale, T positive,
                                     std::span<const T> scores) {
  LossOfNegatives<T> of{.margin = static_cast<T>(options.margin),
                        .label = static_cast<T>(options.label_smoothing),
                        .positive = positive,
                        .temperature = static_cast<T>(options.adversarial),
                        .scale = scale};
  if (of.temperature != 0) of.largest = *std::max_element(scores.begin(), scores.end());
  of.weights = loss_kernels<T>().sum_weights(of, scores.data(), scores.size());
  return of;
}

template <class T>
double margin_loss(const TripleLossOptions& options, T scale, T& positive, std::span<T> negatives) {
  const auto of = loss_of_negatives<T>(options, scale, positive, negatives);
  T slope = 0;
  const double loss = loss_kernels<T>().take_margin(of, negatives.data(), negatives.size(), slope);
  positive = -slope * scale;
  return loss;
}

template <class T>
double logistic_loss(const TripleLossOptions& options, T scale, T& positive,
                     std::span<T> negatives) {
  const auto of = loss_of_negatives<T>(options, scale, positive, negatives);
  const auto part = formulas::logistic_part(of.margin + positive, 1 - of.label, T{1});
  positive = part.derivative * scale;
  return static_cast<double>(part.loss) +
         loss_kernels<T>().take_logistic(of, negatives.data(), negatives.size());
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
  const LossKernels<T>& kernels = loss_kernels<T>();
  const T largest = std::max(positive, *std::max_element(negatives.begin(), negatives.end()));
  const T label = 1 - static_cast<T>(options.label_smoothing);
  const T other = static_cast<T>(options.label_smoothing) / count;
  const auto sums = kernels.sum_softmax(negatives.data(), negatives.size(), largest);
  const T sum = formulas::exponential(positive - largest) + sums.exponentials;
  // Of the scores by their labels.
  const T mean = label * (positive - largest) + other * sums.differences;
  positive = formulas::softmax_derivative(positive, largest, sum, label) * scale;
  kernels.take_softmax(negatives.data(), negatives.size(), largest, sum, other, scale);
  return static_cast<double>(std::log(sum) - mean);
}

// The scores of answers, which are then taken for no negatives.
template <class T>
std::vector<T> take_answers(std::span<const KnownTriples::Row> answers, std::span<T> scores) {
  std::vector<T> taken;
  taken.reserve(answers.size());
  for (const KnownTriples::Row& answer : answers) {
    taken.push_back(std::exchange(scores[answer[2]], kNoNegative<T>));
  }
  return taken;
}

template <class T>
double labelled_logistic(const TripleLossOptions& options, T scale,
                         std::span<const KnownTriples::Row> answers, std::span<T> scores) {
  const auto labels = formulas::logistic_labels(static_cast<T>(options.label_smoothing),
                                                static_cast<std::uint32_t>(scores.size()));
  const LossOfNegatives<T> of{
      .margin = static_cast<T>(options.margin), .label = labels.other, .scale = scale};
  const std::vector<T> own = take_answers(answers, scores);
  double loss = loss_kernels<T>().take_logistic(of, scores.data(), scores.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    const auto part = formulas::logistic_part(of.margin + own[i], labels.answer, T{1});
    loss += static_cast<double>(part.loss);
    scores[answers[i][2]] = part.derivative * scale;
  }
  return loss;
}

template <class T>
double labelled_softmax(const TripleLossOptions& options, T scale,
                        std::span<const KnownTriples::Row> answers, std::span<T> scores) {
  const LossKernels<T>& kernels = loss_kernels<T>();
  const T largest = *std::max_element(scores.begin(), scores.end());
  const T sum = kernels.sum_softmax(scores.data(), scores.size(), largest).exponentials;
  const auto labels = formulas::softmax_labels(static_cast<T>(options.label_smoothing),
                                               static_cast<std::uint32_t>(answers.size()),
                                               static_cast<std::uint32_t>(scores.size()));
  const std::vector<T> own = take_answers(answers, scores);
  double loss = static_cast<double>(std::log(sum));
  if (labels.other != 0) {
    const auto others = kernels.sum_softmax(scores.data(), scores.size(), largest);
    loss -= static_cast<double>(labels.other) * static_cast<double>(others.differences);
  }
  kernels.take_softmax(scores.data(), scores.size(), largest, sum, labels.other, scale);
  for (std::size_t i = 0; i < own.size(); ++i) {
    loss -= static_cast<double>(labels.answer * (own[i] - largest));
    const T slope = formulas::softmax_derivative(own[i], largest, sum, labels.answer);
    scores[answers[i][2]] = slope * scale;
  }
  return loss;
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
  return options.loss == TripleLoss::Logistic ? labelled_logistic(options, factor, answers, scores)
                                              : labelled_softmax(options, factor, answers, scores);
}

template double triple_loss(const TripleLossOptions&, double, float&, std::span<float>);
template double triple_loss(const TripleLossOptions&, double, double&, std::span<double>);
template double labelled_loss(const TripleLossOptions&, double, std::span<const KnownTriples::Row>,
                              std::span<float>);
template double labelled_loss(const TripleLossOptions&, double, std::span<const KnownTriples::Row>,
                              std::span<double>);

}  // namespace vecc::kg
