// Losses of a positive triple among negatives, by scores: higher is better.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "src/kg/formulas/kinds.h"
#include "src/kg/known_triples.h"

namespace vecc::kg {

/// margin, logistic, softmax; empty after the last.
[[nodiscard]] std::string_view text_of(TripleLoss loss);

struct TripleLossOptions {
  TripleLoss loss = TripleLoss::Logistic;
  double margin = 0;
  /// Not 0: w_j is the softmax of this * s_j over the negatives, without a derivative of its own
  /// (self-adversarial, Sun et al. 2019). 0: w_j = 1 / negatives. Not of softmax.
  double adversarial = 0;
  /// In [0, 1). Logistic: labels are 1 - this and this instead of 1 and 0. Softmax: the answer's is
  /// 1 - this, the negatives share the rest. Not of margin. k-vs-all: logistic_labels(),
  /// softmax_labels().
  double label_smoothing = 0;
};

/// The score of what is no negative.
template <class T>
inline constexpr T kNoNegative = -std::numeric_limits<T>::infinity();

/// The loss of one positive. Scores become the derivatives by them, times `scale`; of those that
/// are kNoNegative, 0. Without negatives margin and softmax are 0. NaN, and scores as they were,
/// where the positive's is not finite.
template <class T>
[[nodiscard]] double triple_loss(const TripleLossOptions& options, double scale, T& positive,
                                 std::span<T> negatives);

/// k-vs-all, logistic or softmax: the loss of a query whose scores are those of all entities;
/// `answers`: those with the label 1, ascending. Logistic is the sum of all binary cross-entropies,
/// softmax the cross-entropy with the labels as a distribution (Ruffinelli et al. 2020). Scores
/// become the derivatives by them, times `scale`. NaN, and scores as they were, where one is not
/// finite.
template <class T>
[[nodiscard]] double labelled_loss(const TripleLossOptions& options, double scale,
                                   std::span<const KnownTriples::Row> answers, std::span<T> scores);

}  // namespace vecc::kg
