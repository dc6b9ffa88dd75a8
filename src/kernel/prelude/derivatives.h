// Kernel prelude: derivatives of the elementwise functions, d_NAME(x, y) at the argument x with the
// result y = f_NAME(x). One of the two is read at most, as derivative_reads_argument() and
// derivative_reads_result() of src/function/differentiate.h say: the other may be any number.
namespace vecc_kernel {

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
  return select(y > T(0), T(1), T(0));
}
// A slope below 0 makes results above 0 of arguments below: only there x is read, not y.
template <class T>
VECC_FN T d_leakyrelu(T x, T y, Given<T> slope) {
  return select((slope >= T(0) ? y : x) > T(0), T(1), T(slope));
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
  const T other = select(x < T(0), T(-1), T(0));
  return select(x > T(0), T(1), other);
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

}  // namespace vecc_kernel
