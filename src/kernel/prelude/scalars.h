// Kernel prelude: the elementwise functions of functions.def, f_NAME(x), with their special values
// of src/function, and below their derivatives, d_NAME(x, y). The largest errors over all
// arguments, in units in the last place, for float and for double alike (tests/kernel checks them):
// exp 1, log 0.85, sigmoid 2.4, tanh 2.6, lukasiewicz 2.5; gelu in float 3.7, without fused
// multiply-add 4.7; all others are rounded once.
namespace vecc_kernel {

template <class T>
VECC_FN T f_identity(T x) {
  return x;
}
template <class T>
VECC_FN T f_exp(T x) {
  const T bounded = with_sign_of(x, at_most(magnitude(x), exp_limit(x)));
  return scaled_value(T(1), scaled_exp(bounded, T(0)));
}
template <class T>
VECC_FN T f_log(T x) {
  const T finite = select(x < infinity<T>(), log_of_positive(x), x);
  const T others = select(x == T(0), -infinity<T>(), nan<T>());
  return select(x > T(0), finite, others);
}

// s = 1 / (1 + e^-z) from e = e^-|z|: no digits are lost on either side.
template <class T>
VECC_FN T logistic(T z, T e) {
  return select(z < T(0), e, T(1)) / (T(1) + e);
}
template <class T>
VECC_FN T f_sigmoid(T x) {
  const T a = magnitude(x);
  const T bounded = select(a > T(100), exp_limit(x), a);  // e = 0 makes 0 or 1
  return logistic(x, scaled_value(T(1), scaled_exp(-bounded, T(0))));
}

template <class T>
VECC_FN T f_tanh(T x) {
  const T decay = magnitude(exp_minus_one(T(-2) * magnitude(x)));  // 1 - e^(-2|x|)
  return with_sign_of(x, decay / (T(2) - decay));
}

// z = 6 x + 0.5 as high + low: rounded once, it would cost the result as many units as z is large.
template <class T>
struct Sum {
  T high;
  T low;
};
template <class T>
VECC_FN Sum<T> lukasiewicz_argument(T x) {
  const T limit = exp_limit(x) / T(5);  // the result is 0 or 1 long before
  const T bounded = with_sign_of(x, at_most(magnitude(x), limit));
  const T six = T(4) * bounded + T(2) * bounded;
  const T six_low = T(2) * bounded - (six - T(4) * bounded);
  const T high = six + T(0.5);
  const T half = high - six;
  return {high, ((six - (high - half)) + (T(0.5) - half)) + six_low};
}
// e^-|z|
template <class T>
VECC_FN T lukasiewicz_decay(Sum<T> z) {
  const T low = select(z.high < T(0), z.low, -z.low);
  return scaled_value(T(1), scaled_exp(-magnitude(z.high), low));
}
template <class T>
VECC_FN T f_lukasiewicz(T x) {
  const Sum<T> z = lukasiewicz_argument(x);
  return logistic(z.high, lukasiewicz_decay(z));
}

template <class T>
VECC_FN T f_signum(T x) {
  return select(x > T(0), T(1), T(0));
}
template <class T>
VECC_FN T f_relu(T x) {
  return select(x <= T(0), T(0), x);  // keeps NaN
}
template <class T>
VECC_FN T f_leakyrelu(T x, Given<T> slope) {
  return select(x > T(0), x, slope * x);
}
template <class T>
VECC_FN T f_sqrt(T x) {
  return root(x);
}
template <class T>
VECC_FN T f_inverse(T x) {
  return T(1) / x;
}
template <class T>
VECC_FN T f_reverse(T x) {
  return T(1) - x;
}
template <class T>
VECC_FN T f_abs(T x) {
  return magnitude(x);
}
template <class T>
VECC_FN T f_square(T x) {
  return x * x;
}

// Phi(-a) = e^(-a^2 / 2) * mills(a) for a >= 0, with the normal distribution's function Phi. In
// t = (a - 4) / (a + 4), (a + 4) mills(a) is nearly a polynomial: 2^-25.7 relative for a <= 14.5.
VECC_FN float mills(float a) {
  const float sum = a + 4.0f;
  const float inverse = 1.0f / sum;
  // What rounding both took away; an error of the inverse costs the result up to three times as
  // much.
  const float error = madd(-inverse, a - (sum - 4.0f), madd(-inverse, sum, 1.0f)) * inverse;
  const float t = madd(-8.0f, error, madd(-8.0f, inverse, 1.0f));
  float p = -0x1.07c81p-13f;
  p = madd(p, t, 0x1.907f1ap-13f);
  p = madd(p, t, 0x1.9ba8ccp-10f);
  p = madd(p, t, -0x1.cd8f0cp-9f);
  p = madd(p, t, -0x1.ed537p-8f);
  p = madd(p, t, 0x1.eed9p-5f);
  p = madd(p, t, -0x1.7dffb2p-3f);
  p = madd(p, t, 0x1.8c6d8cp-2f);
  p = madd(p, t, -0x1.373e3ap-1f);
  p = madd(p, t, 0x1.82b4bcp-1f);
  return madd(p, inverse, p * error);
}
// e^(-a^2 / 2) for 0 <= a <= 14.5, with the square's rounding error.
VECC_FN Scaled<float> scaled_density(float a) {
  const float coarse = from_bits(bits_of(a) & 0xfffff000u);
  const float square = coarse * coarse;  // exact
  return scaled_exp(-0.5f * square, -0.5f * ((a - coarse) * (a + coarse)));
}
// In single precision x Phi(x) keeps its digits down to where it is 0.
VECC_FN float f_gelu(float x) {
  const float a = at_most(magnitude(x), 14.5f);
  const float tail = select(a < 14.5f, mills(a), 0.0f);
  const bool negative = x < 0.0f;
  const float below = scaled_value(tail * select(negative, x, 1.0f), scaled_density(a));
  const float above = x * (1.0f - below);
  return select(negative, below, above);
}
VECC_FN double f_gelu(double x) {
  return 0.5 * x * (1.0 + error_function(x / 1.4142135623730951));
}

// x / (1 + e^-x), on the left x e^x / (1 + e^x), rounded once where it is subnormal.
template <class T>
VECC_FN T f_silu(T x) {
  const T a = magnitude(x);
  const T far = T(1.2) * exp_limit(x);  // x e^x is 0
  const Scaled<T> e = scaled_exp(-at_most(a, far), T(0));
  const T kept = select(a < far, x, x * T(0));
  return select(x < T(0), scaled_value(kept, e), x) / (T(1) + scaled_value(T(1), e));
}

// max(x, 0) + ln(1 + e), e = e^-|x|; what 1 + e lost of e is added by the logarithm's slope.
template <class T>
VECC_FN T f_softplus(T x) {
  const T e = f_exp(-magnitude(x));
  const T sum = T(1) + e;
  return select(x < T(0), T(0), x) + (log_of_positive(sum) + (e - (sum - T(1))) / sum);
}

// Derivatives at the argument x with the result y = f_NAME(x). One of the two is read at most, as
// functions.def says: the other may be any number.

// What passes an entry of a gradient: nothing where g is 0, even if the derivative d is infinite.
template <class T>
VECC_FN T pull(T g, T d) {
  return zero_if(g == T(0), g * d);
}

template <class T>
VECC_FN T d_identity(T, T) {
  return T(1);
}
template <class T>
VECC_FN T d_sigmoid(T, T y) {
  return y * (T(1) - y);
}
template <class T>
VECC_FN T d_tanh(T, T y) {
  return (T(1) - y) * (T(1) + y);
}
template <class T>
VECC_FN T d_signum(T, T) {
  return T(0);
}
template <class T>
VECC_FN T d_relu(T, T y) {
  return select_factor(y > T(0), T(1), T(0));
}
// A slope below 0 makes results above 0 of arguments below: only there x is read, not y.
template <class T>
VECC_FN T d_leakyrelu(T x, T y, Given<T> slope) {
  return select_factor((slope >= T(0) ? y : x) > T(0), T(1), T(slope));
}
// 6 s (1 - s), without the cancellation
template <class T>
VECC_FN T d_lukasiewicz(T x, T) {
  const T e = lukasiewicz_decay(lukasiewicz_argument(x));
  return T(6) * (e / ((T(1) + e) * (T(1) + e)));
}
template <class T>
VECC_FN T d_exp(T, T y) {
  return y;
}
template <class T>
VECC_FN T d_log(T x, T) {
  return T(1) / x;
}
template <class T>
VECC_FN T d_sqrt(T, T y) {
  return T(0.5) / y;
}
template <class T>
VECC_FN T d_inverse(T, T y) {
  return -y * y;
}
template <class T>
VECC_FN T d_reverse(T, T) {
  return T(-1);
}
template <class T>
VECC_FN T d_abs(T x, T) {
  const T other = select_factor(x < T(0), T(-1), T(0));
  return select_factor(x > T(0), T(1), other);
}
template <class T>
VECC_FN T d_square(T x, T) {
  return T(2) * x;
}

// Phi(x) + x phi(x), with the normal distribution's function and density. On the left it is
// w = e^(-a^2 / 2) (mills(a) - a / sqrt(2 pi)) at a = |x|, on the right 1 - w.
VECC_FN float gelu_slope(float x) {
  const float a = at_most(magnitude(x), 14.5f);
  const float left = scaled_value(madd(a, -0x1.988454p-2f, mills(a)), scaled_density(a));
  const float right = 1.0f - left;
  return select(x < 0.0f, left, right);
}
VECC_FN double gelu_slope(double x) {
  const double density = f_exp(-x * x / 2.0) * 0.5641895835477563 / 1.4142135623730951;
  const double tail = select(density == 0.0, 0.0, x * density);  // 0 at infinity, too
  return 0.5 * (1.0 + error_function(x / 1.4142135623730951)) + tail;
}
template <class T>
VECC_FN T d_gelu(T x, T) {
  return gelu_slope(x);
}

// s + x s (1 - s), with the sigmoid s
template <class T>
VECC_FN T d_silu(T x, T) {
  const T e = f_exp(-magnitude(x));
  const T slope = e / ((T(1) + e) * (T(1) + e));
  return logistic(x, e) + select(slope == T(0), T(0), x * slope);
}
template <class T>
VECC_FN T d_softplus(T x, T) {
  return logistic(x, f_exp(-magnitude(x)));
}

}  // namespace vecc_kernel
