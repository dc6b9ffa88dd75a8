// A score as a sum over numbers of a query q and an entity e, and its derivatives.
#pragma once

#include "src/kg/formulas/kinds.h"
#include "src/kg/formulas/numbers.h"

namespace vecc::kg::formulas {

/// What is added up.
template <TileKind kKind, class T>
VECC_KG_FN T score_term(Complex<T> q, Complex<T> e) {
  if constexpr (kKind == TileKind::Product || kKind == TileKind::Projection) {
    return q.re * e.re;
  } else {
    const T re = q.re - e.re;
    if constexpr (kKind == TileKind::L1) return absolute(re);
    if constexpr (kKind == TileKind::ComplexL1) return modulus(Complex<T>{re, q.im - e.im});
    return re * re;
  }
}

/// The score of the sum.
template <TileKind kKind, class T>
VECC_KG_FN T score_of(T sum, T bias) {
  if constexpr (kKind == TileKind::Product) return sum + bias;
  if constexpr (kKind == TileKind::Projection) return sum;
  if constexpr (kKind == TileKind::L2) return -square_root(sum);
  return -sum;
}

/// transh: what a score -|q - e|^2 has more, s being u.e, c = u.q (projected_query.h).
template <class T>
VECC_KG_FN T plane_term(T s, T c) {
  return s * (s - 2 * c);
}

/// What a derivative by the score is by the sum, as by_answer_number() takes it.
template <TileKind kKind, class T>
VECC_KG_FN T by_sum(T derivative, T score) {
  if constexpr (kKind == TileKind::L2) return score < 0 ? derivative / -score : T(0);
  if constexpr (kKind == TileKind::SquaredL2) return 2 * derivative;
  return derivative;
}

/// Whether the derivative by q is minus that by e.
VECC_KG_FN constexpr bool is_of_difference(TileKind kind) {
  return kind != TileKind::Product && kind != TileKind::Projection;
}

/// The derivative by e, if c is by_sum(): c times that of the sum; of L2 and SquaredL2 times d.
/// sign(0) is 0, and so is d / |d| where d is 0.
template <TileKind kKind, class T>
VECC_KG_FN Complex<T> by_answer_number(T c, Complex<T> q, Complex<T> e) {
  if constexpr (!is_of_difference(kKind)) {
    return {c * q.re, T(0)};
  } else {
    const T re = q.re - e.re;
    if constexpr (kKind == TileKind::L1) {
      return {re > 0 ? c : re < 0 ? -c : T(0), T(0)};
    } else if constexpr (kKind == TileKind::ComplexL1) {
      const Complex<T> d = {re, q.im - e.im};
      const T size = modulus(d);
      const T factor = size != 0 ? c / size : T(0);
      return {factor * d.re, factor * d.im};
    } else {
      return {c * re, T(0)};
    }
  }
}

/// The derivative by q.
template <TileKind kKind, class T>
VECC_KG_FN Complex<T> by_query_number(T c, Complex<T> q, Complex<T> e) {
  if constexpr (!is_of_difference(kKind)) return {c * e.re, T(0)};
  const Complex<T> by = by_answer_number<kKind>(c, q, e);
  return {-by.re, -by.im};
}

}  // namespace vecc::kg::formulas
