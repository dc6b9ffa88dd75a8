// The loss of a positive triple among negatives, score by score. What is over all negatives (their
// number, the largest score, sums) the code around them adds up.
#pragma once

#include "src/kg/formulas/kinds.h"
#include "src/kg/formulas/numbers.h"

namespace vecc::kg::formulas {

/// log(1 + exp x) and its derivative, without overflow.
template <class T>
struct Softplus {
  T value;
  T slope;
};
template <class T>
VECC_KG_FN Softplus<T> softplus(T x) {
  const T small = exponential(-absolute(x));
  return {larger(x, T(0)) + log_plus_one(small), (x >= 0 ? T(1) : small) / (1 + small)};
}

/// A weight w_j times the sum of all: 1, or with a temperature the exponential that softmax
/// divides. `largest`: of the negatives' scores.
template <class T>
VECC_KG_FN T weight_term(T temperature, T score, T largest) {
  return temperature == 0 ? T(1) : exponential(temperature * (score - largest));
}

/// What a score adds to the loss, and the derivative by it.
template <class T>
struct LossPart {
  T loss;
  T derivative;
};

/// Of a negative; the positive's derivative is minus the sum of these.
template <class T>
VECC_KG_FN LossPart<T> margin_part(T margin, T positive, T score, T weight) {
  const T excess = margin - positive + score;
  if (!(excess > 0)) return {T(0), T(0)};
  return {weight * excess, weight};
}

/// With label y: softplus(x) - y x, since softplus(-x) = softplus(x) - x.
template <class T>
VECC_KG_FN LossPart<T> logistic_part(T x, T label, T weight) {
  const Softplus<T> s = softplus(x);
  return {weight * (s.value - label * x), weight * (s.slope - label)};
}

/// By a score of a label, if `sum` is that of exponential(score - largest) over all scores.
template <class T>
VECC_KG_FN T softmax_derivative(T score, T largest, T sum, T label) {
  return exponential(score - largest) / sum - label;
}

/// k-vs-all: what is expected of the scores of a query's answers, and of all others.
template <class T>
struct AnswerLabels {
  T answer;
  T other;
};

/// 1 and 0; smoothed (1 - smoothing) y + 1 / entities (Dettmers et al. 2018).
template <class T>
VECC_KG_FN AnswerLabels<T> logistic_labels(T smoothing, unsigned entities) {
  const T other = smoothing > 0 ? 1 / static_cast<T>(entities) : T(0);
  return {1 - smoothing + other, other};
}

/// A distribution: answers share 1 - smoothing, others the rest.
template <class T>
VECC_KG_FN AnswerLabels<T> softmax_labels(T smoothing, unsigned answers, unsigned entities) {
  if (answers == entities) return {1 / static_cast<T>(answers), T(0)};
  return {(1 - smoothing) / static_cast<T>(answers),
          smoothing / static_cast<T>(entities - answers)};
}

}  // namespace vecc::kg::formulas
