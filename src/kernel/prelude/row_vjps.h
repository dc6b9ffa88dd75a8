// Kernel prelude: vector-Jacobian products of the row functions. From the gradient g at the result
// y they write (not add) what reaches the argument x. NaN in y reaches all of it, even where g is
// 0.
namespace vecc_kernel {

// g less its mean on the support y > 0; 0 outside. NaN is everywhere in y or nowhere.
template <class T, int N>
VECC_FN void sparsemax_vjp(const T* __restrict__ y, const T* __restrict__ g, T* __restrict__ out) {
  const T count = fold_sum<T, N>([=](auto n, auto at) { return at(y) <= T(0) ? n : n + T(1); });
  const T sum = fold_sum<T, N>(
      [=](auto s, auto at) { return at(y) <= T(0) ? s : s + (at(g) + T(0) * at(y)); });
  const T mean = sum / count;
  VECC_LOOP
  for (int i = 0; i < N; ++i) {
    const T inside = g[i] - mean;
    out[i] = select(y[i] <= T(0), T(0), inside);
  }
}

// (g - mean g - y mean(g y)) / sqrt(variance + 1e-10)
template <class T, int N>
VECC_FN void norm_vjp(const T* __restrict__ x, const T* __restrict__ y, const T* __restrict__ g,
                      T* __restrict__ out) {
  const T deviation = deviation_of<T, N>(x, mean_of<T, N>(x));
  const T g_mean = mean_of<T, N>(g);
  const T gy_mean = dot<T, N>(g, y) / T(N);
  VECC_LOOP
  for (int i = 0; i < N; ++i) out[i] = madd(-y[i], gy_mean, g[i] - g_mean) / deviation;
}

}  // namespace vecc_kernel
