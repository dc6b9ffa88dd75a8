// How a number of a row moves by its gradient (docs/training.md), and what regularizes it.
#pragma once

#include "src/kg/formulas/kinds.h"
#include "src/kg/formulas/numbers.h"

namespace vecc::kg::formulas {

template <class T>
struct RowRates {
  T rate;
  T epsilon;
  T beta1;
  T beta2;
  T correction1;  ///< 1 - beta1^step
  T correction2;
};

/// `first` and `second`: what the optimizer keeps of the number; adagrad the first alone, sgd none.
template <RowOptimizer kOptimizer, class T>
VECC_KG_FN void move_number(const RowRates<T>& r, T gradient, T& w, T& first, T& second) {
  if constexpr (kOptimizer == RowOptimizer::Sgd) {
    w -= r.rate * gradient;
  } else if constexpr (kOptimizer == RowOptimizer::Adagrad) {
    first += gradient * gradient;
    w -= r.rate * (gradient / (square_root(first) + r.epsilon));
  } else {
    first = r.beta1 * first + (1 - r.beta1) * gradient;
    second = r.beta2 * second + (1 - r.beta2) * (gradient * gradient);
    w -= r.rate * (first / r.correction1 / (square_root(second / r.correction2) + r.epsilon));
  }
}

/// transh: the sine of the angle between a relation's vector and its plane that costs nothing.
constexpr double kFreeSine = 1e-3;

/// |x|^2.
template <class T>
VECC_KG_FN T square_of(Complex<T> x) {
  return x.re * x.re + x.im * x.im;
}
/// l2 |x|^2 + n3 |x|^3 of its square.
VECC_KG_FN double penalty_of_square(double l2, double n3, double square) {
  return l2 * square + n3 * square * square_root(square);
}
/// Times a part of x: the derivative by that part, if l2 and n3 are 2 and 3 times the factors.
template <class T>
VECC_KG_FN T penalty_slope(T l2, T n3, T square) {
  return l2 + n3 * square_root(square);
}

}  // namespace vecc::kg::formulas
