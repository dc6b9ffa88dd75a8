// A query's vector, number by number, and its derivatives. rescal's query is a product with a
// matrix, no formula of a number; transh and transr, which project what answers, have none here.
#pragma once

#include "src/kg/formulas/kinds.h"
#include "src/kg/formulas/numbers.h"

namespace vecc::kg::formulas {

/// Whether a number of an embedding is complex.
VECC_KG_FN constexpr bool has_complex_numbers(ScoreModel model) {
  return model == ScoreModel::ComplEx || model == ScoreModel::RotatE;
}

/// A relation's number as a factor: rotate's has the modulus 1.
template <ScoreModel kModel, class T>
VECC_KG_FN Complex<T> relation_factor(Complex<T> r) {
  if constexpr (kModel == ScoreModel::RotatE) {
    const T size = modulus(r);
    return {r.re / size, r.im / size};
  }
  return r;
}

/// Of (x, r, ?) if the tail is asked for, else of (?, r, x).
template <ScoreModel kModel, class T>
VECC_KG_FN Complex<T> query_number(bool tail, Complex<T> x, Complex<T> r) {
  if constexpr (kModel == ScoreModel::TransE) {
    return {tail ? x.re + r.re : x.re - r.re, T(0)};
  } else if constexpr (kModel == ScoreModel::TransF) {
    // h.(2t - r) + r.t = t.(2h + r) - h.r
    return {2 * x.re + (tail ? r.re : -r.re), T(0)};
  } else if constexpr (has_complex_numbers(kModel)) {
    // Re(h r conj(t)) = <h r, t> = <t conj(r), h>; |h r - t| = |t conj(r) - h|
    const Complex<T> factor = relation_factor<kModel>(r);
    return product(x, tail ? factor : conjugate(factor));
  } else {
    return {x.re * r.re, T(0)};
  }
}

/// transf: what is added to the sum over numbers is the sum of these.
template <class T>
VECC_KG_FN T bias_number(bool tail, T x, T r) {
  return tail ? -(x * r) : x * r;
}

/// The derivative by x of what has the derivatives dq by the query's number, dbias by its bias.
template <ScoreModel kModel, class T>
VECC_KG_FN Complex<T> by_entity_number(bool tail, Complex<T> r, Complex<T> dq, T dbias) {
  if constexpr (kModel == ScoreModel::TransE) {
    return dq;
  } else if constexpr (kModel == ScoreModel::TransF) {
    return {2 * dq.re + (tail ? -dbias : dbias) * r.re, T(0)};
  } else if constexpr (has_complex_numbers(kModel)) {
    const Complex<T> factor = relation_factor<kModel>(r);
    return product(dq, tail ? conjugate(factor) : factor);
  } else {
    return {dq.re * r.re, T(0)};
  }
}

/// The same by r.
template <ScoreModel kModel, class T>
VECC_KG_FN Complex<T> by_relation_number(bool tail, Complex<T> x, Complex<T> r, Complex<T> dq,
                                         T dbias) {
  if constexpr (kModel == ScoreModel::TransE) {
    return {tail ? dq.re : -dq.re, T(0)};
  } else if constexpr (kModel == ScoreModel::TransF) {
    const T change = dq.re - dbias * x.re;
    return {tail ? change : -change, T(0)};
  } else if constexpr (has_complex_numbers(kModel)) {
    const Complex<T> by = tail ? product(dq, conjugate(x)) : product(x, conjugate(dq));
    if constexpr (kModel == ScoreModel::ComplEx) return by;
    const T size = modulus(r);  // through r / |r|
    const Complex<T> unit = {r.re / size, r.im / size};
    const T along = unit.re * by.re + unit.im * by.im;
    return {(by.re - along * unit.re) / size, (by.im - along * unit.im) / size};
  } else {
    return {dq.re * x.re, T(0)};
  }
}

}  // namespace vecc::kg::formulas
