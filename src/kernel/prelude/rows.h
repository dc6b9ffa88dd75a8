// Kernel prelude: functions of whole rows, pointers to N entries. Rows that are written overlap no
// other argument.
namespace vecc_kernel {

template <class T, int N>
VECC_FN T total(const T* x) {
  return fold_sum<T, N>([=](auto sum, auto at) { return sum + at(x); });
}
template <class T, int N>
VECC_FN T dot(const T* x, const T* y) {
  return fold_sum<T, N>([=](auto sum, auto at) { return madd(at(x), at(y), sum); });
}
// The largest entry, not counting NaN.
template <class T, int N>
VECC_FN T largest(const T* x) {
  const auto larger = [](auto a, auto b) { return b > a ? b : a; };
  return fold<T, N>(
      -infinity<T>(), [=](auto best, auto at) { return larger(best, at(x)); }, larger);
}

// The projection takes a threshold from every entry of the support, the entries z with
// 1 + count * z > sum over the support of it. Michelot's iteration starts with all that can be in
// it (above -1, with the largest entry at 0) and drops what is not: the threshold grows as Newton's
// iterate for a convex function, so that (what the sum exceeds 1 by) * count falls to a quarter or
// less in every round. In double always: an entry at the threshold is outside, with slope 0.
template <class T, int N>
VECC_FN void sparsemax(const T* __restrict__ x, T* __restrict__ y) {
  const double shift = static_cast<double>(largest<T, N>(x));
  const auto count_if = [=](const auto& inside) {
    return fold_sum<double, N>(
        [=](auto n, auto at) { return inside(at(x) - shift) ? n + 1.0 : n; });
  };
  const auto sum_if = [=](const auto& inside) {
    return fold_sum<double, N>(
        [=](auto sum, auto at) { return inside(at(x) - shift) ? sum + (at(x) - shift) : sum; });
  };
  const auto possible = [](auto z) { return z > -1.0; };
  double count = count_if(possible);
  double sum = sum_if(possible);
  for (;;) {
    const auto inside = [=](auto z) { return 1.0 + count * z > sum; };
    const double left = count_if(inside);
    if (!(left < count)) break;
    sum = sum_if(inside);
    count = left;
  }
  // NaN has no order, and an infinite largest entry no finite projection: NaN everywhere.
  const double defined = count_if([](auto z) { return z == z; });
  const double threshold = select(defined == N, (sum - 1.0) / count, nan<double>());
  VECC_LOOP
  for (int i = 0; i < N; ++i)
    y[i] = static_cast<T>(at_least((static_cast<double>(x[i]) - shift) - threshold, 0.0));
}

// The mean, corrected by the mean of what it leaves: a constant row leaves exactly 0, which norm
// divides by as little as 1e-5.
template <class T, int N>
VECC_FN T mean_of(const T* x) {
  const T mean = total<T, N>(x) / T(N);
  return mean + fold_sum<T, N>([=](auto sum, auto at) { return sum + (at(x) - mean); }) / T(N);
}
// sqrt(population variance + 1e-10)
template <class T, int N>
VECC_FN T deviation_of(const T* x, T mean) {
  const T squares =
      fold_sum<T, N>([=](auto sum, auto at) { return madd(at(x) - mean, at(x) - mean, sum); });
  return root(squares / T(N) + T(1e-10));
}
template <class T, int N>
VECC_FN void norm(const T* __restrict__ x, T* __restrict__ y) {
  const T mean = mean_of<T, N>(x);
  const T deviation = deviation_of<T, N>(x, mean);
  VECC_LOOP
  for (int i = 0; i < N; ++i) y[i] = (x[i] - mean) / deviation;
}

// The C x R transpose of an R x C matrix. Its vector-Jacobian product is transp<T, C, R>.
template <class T, int R, int C>
VECC_FN void transp(const T* __restrict__ x, T* __restrict__ y) {
  for (int c = 0; c < C; ++c) {
    for (int r = 0; r < R; ++r) y[c * R + r] = x[r * C + c];
  }
}

}  // namespace vecc_kernel
