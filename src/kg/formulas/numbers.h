// What the formulas ask of float and double, on the host and in kernels.
#pragma once

#ifdef __CUDACC_RTC__
#define VECC_KG_FN __device__ __forceinline__
#else
#include <cmath>

// clang-format off
#include "src/kernel/prelude/base.h"
#include "src/kernel/prelude/exponential.h"
#include "src/kernel/prelude/scalars.h"
// clang-format on
#define VECC_KG_FN inline
#endif

namespace vecc::kg::formulas {

#ifdef __CUDACC_RTC__
VECC_KG_FN float exponential(float x) {
  return expf(x);
}
VECC_KG_FN double exponential(double x) {
  return exp(x);
}
VECC_KG_FN float logarithm(float x) {
  return logf(x);
}
VECC_KG_FN double logarithm(double x) {
  return log(x);
}
/// log(1 + x), 0 <= x <= 1.
VECC_KG_FN float log_plus_one(float x) {
  return log1pf(x);
}
VECC_KG_FN double log_plus_one(double x) {
  return log1p(x);
}
VECC_KG_FN float square_root(float x) {
  return __fsqrt_rn(x);
}
VECC_KG_FN double square_root(double x) {
  return __dsqrt_rn(x);
}
VECC_KG_FN float absolute(float x) {
  return fabsf(x);
}
VECC_KG_FN double absolute(double x) {
  return fabs(x);
}
#else
// Without calls, so that loops over them are loops over vectors.
template <class T>
VECC_KG_FN T exponential(T x) {
  return vecc_kernel::f_exp(x);
}
template <class T>
VECC_KG_FN T logarithm(T x) {
  return std::log(x);
}
template <class T>
VECC_KG_FN T log_plus_one(T x) {
  const bool is_above = x > T(0.414);  // 1 + x = 2 (1 + (x - 1) / 2)
  return vecc_kernel::log_of_parts(is_above ? (x - 1) * T(0.5) : x, is_above ? T(1) : T(0));
}
template <class T>
VECC_KG_FN T square_root(T x) {
  return std::sqrt(x);
}
template <class T>
VECC_KG_FN T absolute(T x) {
  return std::abs(x);
}
#endif

template <class T>
VECC_KG_FN T larger(T a, T b) {
  return a < b ? b : a;
}

/// A number of an embedding; of a real one `im` is 0.
template <class T>
struct Complex {
  T re;
  T im;
};
template <class T>
VECC_KG_FN Complex<T> product(Complex<T> a, Complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class T>
VECC_KG_FN Complex<T> conjugate(Complex<T> a) {
  return {a.re, -a.im};
}
template <class T>
VECC_KG_FN T modulus(Complex<T> a) {
  return square_root(a.re * a.re + a.im * a.im);
}

}  // namespace vecc::kg::formulas
