// What a loss does with the scores of a query's negatives, for each set of instructions. Scores
// that are kNoNegative add nothing, and become 0.
#pragma once

#include <cstddef>
#include <span>

#include "src/kg/formulas/losses.h"

namespace vecc::kg {

/// What all negatives of a query share.
template <class T>
struct LossOfNegatives {
  T margin = 0;
  T label = 0;        ///< of logistic
  T positive = 0;     ///< the answer's score, of margin
  T temperature = 0;  ///< 0: equal weights
  T largest = 0;      ///< score; with a temperature
  T weights = 1;      ///< the sum of formulas::weight_term()
  T scale = 1;        ///< of derivatives
};

template <class T>
struct SoftmaxSums {
  T exponentials;  ///< of score - largest
  T differences;   ///< score - largest
};

template <class T>
struct LossKernels {
  /// LossOfNegatives::weights.
  T (*sum_weights)(const LossOfNegatives<T>& of, const T* scores, std::size_t n);
  /// The sum of the losses; scores become the derivatives by them, times `scale`.
  double (*take_logistic)(const LossOfNegatives<T>& of, T* scores, std::size_t n);
  /// The same; slope: the sum of derivatives, without `scale`.
  double (*take_margin)(const LossOfNegatives<T>& of, T* scores, std::size_t n, T& slope);
  SoftmaxSums<T> (*sum_softmax)(const T* scores, std::size_t n, T largest);
  /// Scores become the derivatives by them, times `scale`; sum: that of all exponentials.
  void (*take_softmax)(T* scores, std::size_t n, T largest, T sum, T label, T scale);
};

/// Those that this processor runs, the best first.
template <class T>
[[nodiscard]] std::span<const LossKernels<T>* const> usable_loss_kernels();
template <class T>
[[nodiscard]] const LossKernels<T>& loss_kernels() {
  return *usable_loss_kernels<T>().front();
}

}  // namespace vecc::kg
