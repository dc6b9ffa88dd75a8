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

#if VECC_CUDA
template <class T>
VECC_FN void transp_block(const T* x, int, T* y, int) {
  *y = *x;
}
#else
// Every other entry is b's: of the first halves of a and b (First: 0), of the second ones.
template <int First>
VECC_FN Pack<float> interleave(Pack<float> a, Pack<float> b) {
#if defined(__clang__)
  return __builtin_shufflevector(a, b, First, First + 8, First + 1, First + 9, First + 2,
                                 First + 10, First + 3, First + 11);
#else
  typedef int Places __attribute__((vector_size(32)));
  return __builtin_shuffle(
      a, b,
      Places{First, First + 8, First + 1, First + 9, First + 2, First + 10, First + 3, First + 11});
#endif
}
template <int First>
VECC_FN Pack<double> interleave(Pack<double> a, Pack<double> b) {
#if defined(__clang__)
  return __builtin_shufflevector(a, b, First, First + 4, First + 1, First + 5);
#else
  typedef long long Places __attribute__((vector_size(32)));
  return __builtin_shuffle(a, b, Places{First, First + 4, First + 1, First + 5});
#endif
}
// The transpose of a block of as many rows as a pack has entries; rows are `step` apart.
template <class T>
VECC_FN void transp_block(const T* __restrict__ x, int step, T* __restrict__ y, int step_y) {
  constexpr int width = PackOf<T>::width;
  Pack<T> rows[width];
  VECC_UNROLL for (int i = 0; i < width; ++i) rows[i] = load_pack<T>(x + i * step);
  // Each time the highest bit of an entry's row becomes the lowest of its place in the row, and so
  // on, until rows and places have changed.
  VECC_UNROLL for (int done = 1; done < width; done *= 2) {
    Pack<T> next[width];
    VECC_UNROLL for (int i = 0; i < width / 2; ++i) {
      next[2 * i] = interleave<0>(rows[i], rows[i + width / 2]);
      next[2 * i + 1] = interleave<width / 2>(rows[i], rows[i + width / 2]);
    }
    VECC_UNROLL for (int i = 0; i < width; ++i) rows[i] = next[i];
  }
  VECC_UNROLL for (int i = 0; i < width; ++i) store_pack<T>(y + i * step_y, rows[i]);
}
#endif

// The C x R transpose of an R x C matrix. Its vector-Jacobian product is transp<T, C, R>.
template <class T, int R, int C>
VECC_FN void transp(const T* __restrict__ x, T* __restrict__ y) {
  constexpr int width = PackOf<T>::width;
  constexpr int rows = R / width * width;
  constexpr int cols = C / width * width;
  for (int c = 0; c < cols; c += width) {
    for (int r = 0; r < rows; r += width) transp_block<T>(x + r * C + c, C, y + c * R + r, R);
    for (int i = c; i < c + width; ++i) {
      for (int r = rows; r < R; ++r) y[i * R + r] = x[r * C + i];
    }
  }
  for (int c = cols; c < C; ++c) {
    for (int r = 0; r < R; ++r) y[c * R + r] = x[r * C + c];
  }
}

}  // namespace vecc_kernel
