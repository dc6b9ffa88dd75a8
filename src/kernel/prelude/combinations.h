// Kernel prelude: combinations of two rows, and what those of more need. Lists are the caller's:
// `product` and `crosssum` of several chain times() and crosssum() from left to right. Rows that
// are written overlap no other argument.
namespace vecc_kernel {

// Every entry of l plus every entry of r, r's changing fastest.
template <class T, int M, int N>
VECC_FN void crosssum(const T* __restrict__ l, const T* __restrict__ r, T* __restrict__ y) {
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) y[i * N + j] = l[i] + r[j];
  }
}
// x . y / (norm x * norm y), no epsilon
template <class T, int N>
VECC_FN T cossim(const T* x, const T* y) {
  return dot<T, N>(x, y) / (root(dot<T, N>(x, x)) * root(dot<T, N>(y, y)));
}
// The part of x of g at cosine = cossim(x, y); that of y with x and y exchanged.
template <class T, int N>
VECC_FN void cossim_vjp(const T* __restrict__ x, const T* __restrict__ y, Given<T> cosine,
                        Given<T> g, T* __restrict__ out) {
  const T length = root(dot<T, N>(x, x));
  const T other = root(dot<T, N>(y, y));
  VECC_LOOP
  for (int i = 0; i < N; ++i) out[i] = g * (y[i] / other - cosine * x[i] / length) / length;
}

// `max` and `min` select the member with the largest (smallest) sum of entries, added in order: the
// first one, then any whose sum is better than the best so far. No comparison with NaN holds.
template <class T, int N>
VECC_FN T row_sum(const T* x) {
  T sum = T(0);
  for (int i = 0; i < N; ++i) sum += x[i];
  return sum;
}

}  // namespace vecc_kernel
