// Kernel prelude: e^x and ln x, the core of the scalar functions. Polynomials are minimax fits
// (Remez), relative to the function itself.
namespace vecc_kernel {

// ln 2 = high + low; n * high is exact for the exponents n of T.
template <class T>
struct Ln2;
template <>
struct Ln2<float> {
  static constexpr float high = 0.693359375f;
  static constexpr float low = -2.12194440e-4f;
  static constexpr float inverse = 1.44269504f;
};
template <>
struct Ln2<double> {
  static constexpr double high = 6.93147180369123816490e-01;
  static constexpr double low = 1.90821492927058770002e-10;
  static constexpr double inverse = 1.4426950408889634;
};

// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2: 2^-31.9 and 2^-61.7 relative to e^r - 1.
VECC_FN float exp_tail(float r) {
  float p = 0x1.a032c8p-13f;
  p = madd(p, r, 0x1.6d723ep-10f);
  p = madd(p, r, 0x1.11118ap-7f);
  p = madd(p, r, 0x1.5554bp-5f);
  p = madd(p, r, 0x1.555554p-3f);
  return madd(p, r, 0.5f);
}
VECC_FN double exp_tail(double r) {
  double p = 0x1.1ee878791cba2p-29;
  p = madd(p, r, 0x1.af5ea887a3ffep-26);
  p = madd(p, r, 0x1.27e5364ea0becp-22);
  p = madd(p, r, 0x1.71ddf8639b535p-19);
  p = madd(p, r, 0x1.a01a017baaa12p-16);
  p = madd(p, r, 0x1.a01a01afdd996p-13);
  p = madd(p, r, 0x1.6c16c16c1f0f9p-10);
  p = madd(p, r, 0x1.111111110f6c4p-7);
  p = madd(p, r, 0x1.555555555553ep-5);
  p = madd(p, r, 0x1.5555555555559p-3);
  return madd(p, r, 0.5);
}

// e^-limit is 0 and e^limit infinite; half of limit's binary exponent is an exponent, twice over.
VECC_FN float exp_limit(float) {
  return 105.0f;
}
VECC_FN double exp_limit(double) {
  return 746.0;
}

// ((1 + tail) * half) * other_half, a power of two in two steps: also where the result is subnormal
// it is rounded once. Further factors go to 1 + tail.
template <class T>
struct Scaled {
  T tail;
  T half;
  T other_half;
};
template <class T>
VECC_FN T scaled_value(T x, Scaled<T> s) {
  return madd(x, s.tail, x) * s.half * s.other_half;
}

// e^(x + low) for |x| <= 1.5 exp_limit and a low that is small beside 1.
template <class T>
VECC_FN Scaled<T> scaled_exp(T x, T low) {
  const T n = nearest_integer(x * Ln2<T>::inverse);
  T r = madd(n, -Ln2<T>::high, x);
  r = madd(n, -Ln2<T>::low, r) + low;
  const T half = nearest_integer(n * T(0.5));
  return {madd(r * r, exp_tail(r), r), power_of_two(half), power_of_two(n - half)};
}

// e^x - 1 for x <= 0, to full relative accuracy; x below -80 counts as -80.
template <class T>
VECC_FN T exp_minus_one(T x) {
  const T bounded = at_least(x, T(-80));
  const T n = nearest_integer(bounded * Ln2<T>::inverse);
  T r = madd(n, -Ln2<T>::high, bounded);
  r = madd(n, -Ln2<T>::low, r);
  const T scale = power_of_two(n);
  return madd(scale, madd(r * r, exp_tail(r), r), scale - T(1));
}

// ln m + n ln 2 for m = 1 + f, sqrt(1/2) <= m < sqrt 2. The float polynomial is
// (ln(1 + f) - f + f^2 / 2) / f^3, 2^-27.3 relative to ln(1 + f).
VECC_FN float log_of_parts(float f, float n) {
  float p = -0x1.38b504p-4f;
  p = madd(p, f, 0x1.055b4ap-3f);
  p = madd(p, f, -0x1.0d854ap-3f);
  p = madd(p, f, 0x1.22da22p-3f);
  p = madd(p, f, -0x1.547244p-3f);
  p = madd(p, f, 0x1.99a008p-3f);
  p = madd(p, f, -0x1.000226p-2f);
  p = madd(p, f, 0x1.555554p-2f);
  const float square = f * f;
  p = madd(p * f, square, n * Ln2<float>::low);
  return madd(n, Ln2<float>::high, f + madd(-0.5f, square, p));
}
// With s = f / (2 + f): ln(1 + f) = 2 s + s R(s^2), fdlibm's polynomial R (2^-58.45).
VECC_FN double log_of_parts(double f, double n) {
  const double s = f / (2.0 + f);
  const double z = s * s;
  double r = 1.479819860511658591e-01;
  r = madd(r, z, 1.531383769920937332e-01);
  r = madd(r, z, 1.818357216161805012e-01);
  r = madd(r, z, 2.222219843214978396e-01);
  r = madd(r, z, 2.857142874366239149e-01);
  r = madd(r, z, 3.999999999940941908e-01);
  r = madd(r, z, 6.666666666666735130e-01) * z;
  const double half_square = 0.5 * f * f;
  const double tail = s * (half_square + r) + n * Ln2<double>::low;
  return n * Ln2<double>::high - ((half_square - tail) - f);
}

VECC_FN float root_half(float) {
  return 0x1.6a09e6p-1f;
}
VECC_FN double root_half(double) {
  return 0x1.6a09e667f3bcdp-1;
}

// ln x for normal and subnormal x > 0; anything for others.
template <class T>
VECC_FN T log_of_positive(T x) {
  using Bits = typename Real<T>::Bits;
  constexpr int shift = Real<T>::mantissa_bits;
  const bool subnormal = x < Real<T>::smallest_normal;
  const T normal = select(subnormal, x * (T(2) * Real<T>::integer_base), x);
  // x = m 2^n: adding 1 / sqrt(1/2) to the bits carries into the exponent where m >= sqrt 2.
  const Bits lowest = bits_of(root_half(x));
  const Bits moved = bits_of(normal) + (bits_of(T(1)) - lowest);
  const Bits mantissa = (moved & ((Bits(1) << shift) - 1)) + lowest;
  const T base = Real<T>::integer_base;
  const T biased = from_bits((moved >> shift) | bits_of(base)) - (base + T(Real<T>::bias));
  return log_of_parts(from_bits(mantissa) - T(1), biased - select(subnormal, T(shift + 1), T(0)));
}

}  // namespace vecc_kernel
