// Kernel prelude: softmax and its logarithm, of whole rows, and their vector-Jacobian products (as
// row_vjps.h has them). Over a segment's members: src/plan/lower/lower_softmax.cc.
namespace vecc_kernel {

template <class T, int N>
VECC_FN void softmax(const T* __restrict__ x, T* __restrict__ y) {
  const T shift = largest<T, N>(x);
  VECC_LOOP
  for (int i = 0; i < N; ++i) y[i] = f_exp(x[i] - shift);
  const T sum = total<T, N>(y);
  VECC_LOOP
  for (int i = 0; i < N; ++i) y[i] /= sum;
}

template <class T, int N>
VECC_FN void logsoftmax(const T* __restrict__ x, T* __restrict__ y) {
  const T shift = largest<T, N>(x);
  VECC_LOOP
  for (int i = 0; i < N; ++i) y[i] = f_exp(x[i] - shift);
  const T log_sum = f_log(total<T, N>(y));
  VECC_LOOP
  for (int i = 0; i < N; ++i) y[i] = x[i] - shift - log_sum;
}

// y (g - y . g)
template <class T, int N>
VECC_FN void softmax_vjp(const T* __restrict__ y, const T* __restrict__ g, T* __restrict__ out) {
  const T mean = dot<T, N>(y, g);
  VECC_LOOP
  for (int i = 0; i < N; ++i) out[i] = y[i] * (g[i] - mean);
}

// g less the softmax's share of all of g
template <class T, int N>
VECC_FN void logsoftmax_vjp(const T* __restrict__ y, const T* __restrict__ g, T* __restrict__ out) {
  const T sum = total<T, N>(g);
  VECC_LOOP
  for (int i = 0; i < N; ++i) {
    const T share = f_exp(y[i]) * sum;
    out[i] = g[i] - share;
  }
}

}  // namespace vecc_kernel
