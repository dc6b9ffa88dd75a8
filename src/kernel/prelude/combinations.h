// Kernel prelude: combinations of two rows, and what those of more need. Lists are the caller's:
// `product` and `crosssum` of several chain times() and crosssum() from left to right. Rows that
// are written overlap no other argument.
namespace vecc_kernel {

// Columns first_col, ... of Rows rows of y = left right, summed over k in order: Packs packs of
// columns, or of one column each where At is EntryAt. left(i, k) is an entry; the K x N matrix
// `right` is row-major.
template <class T, int K, int N, int Rows, int Packs, bool Add, template <class> class At,
          class Left>
VECC_FN void times_tile(const Left& left, const T* __restrict__ right, T* __restrict__ y,
                        int first_row, int first_col) {
  using Value = decltype(At<T>{0}(right));
  constexpr int width = static_cast<int>(sizeof(Value) / sizeof(T));
  Value sum[Rows][Packs];
  for (int i = 0; i < Rows; ++i) {
    for (int j = 0; j < Packs; ++j) sum[i][j] = Value{};
  }
  for (int k = 0; k < K; ++k) {
    for (int i = 0; i < Rows; ++i) {
      const Value factor = left(first_row + i, k) - Value{};
      for (int j = 0; j < Packs; ++j) {
        sum[i][j] = madd(factor, At<T>{k * N + first_col + j * width}(right), sum[i][j]);
      }
    }
  }
  for (int i = 0; i < Rows; ++i) {
    for (int j = 0; j < Packs; ++j) {
      const At<T> at{(first_row + i) * N + first_col + j * width};
      if constexpr (Add) sum[i][j] += at(y);
      at.store(y, sum[i][j]);
    }
  }
}
// All columns of Rows rows.
template <class T, int K, int N, int Rows, bool Add, class Left>
VECC_FN void times_rows(const Left& left, const T* __restrict__ right, T* __restrict__ y, int row) {
  constexpr int width = PackOf<T>::width;
  constexpr int pairs = N / (2 * width) * (2 * width);
  constexpr int packs = N / width * width;
  for (int j = 0; j < pairs; j += 2 * width) {
    times_tile<T, K, N, Rows, 2, Add, PackAt>(left, right, y, row, j);
  }
  if constexpr (packs > pairs)
    times_tile<T, K, N, Rows, 1, Add, PackAt>(left, right, y, row, pairs);
  if constexpr (N > packs) {
    times_tile<T, K, N, Rows, N - packs, Add, EntryAt>(left, right, y, row, packs);
  }
}

// The same where the rows of op(r)' are contiguous, and those of op(l).
template <class T, int M, int K, int N, bool Add>
VECC_FN void times_dots(const T* __restrict__ l, const T* __restrict__ r, T* __restrict__ y) {
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) {
      const T sum = dot<T, K>(l + i * K, r + j * K);
      y[i * N + j] = Add ? y[i * N + j] + sum : sum;
    }
  }
}

// The same where both are transposes and columns of y are too long for the stack: a piece of one at
// a time, each entry the same sum.
template <class T, int M, int K, int N, bool Add>
VECC_FN void times_long_columns(const T* __restrict__ l, const T* __restrict__ r,
                                T* __restrict__ y) {
  constexpr int piece = 256;
  for (int first = 0; first < M; first += piece) {
    const int rows = M - first < piece ? M - first : piece;
    for (int j = 0; j < N; ++j) {
      T sum[piece] = {};
      for (int k = 0; k < K; ++k) {
        const T factor = r[j * K + k];
        VECC_LOOP
        for (int i = 0; i < rows; ++i) sum[i] = madd(factor, l[k * M + first + i], sum[i]);
      }
      for (int i = 0; i < rows; ++i) {
        T& out = y[(first + i) * N + j];
        out = Add ? out + sum[i] : sum[i];
      }
    }
  }
}

// y = op(l) op(r) or, with Add, y += that: op(l) is M x K and op(r) K x N, all row-major; where TL,
// l holds the transpose of op(l) (K x M), where TR, r that of op(r) (N x K).
template <class T, int M, int K, int N, bool TL, bool TR, bool Add>
VECC_FN void times_into(const T* __restrict__ l, const T* __restrict__ r, T* __restrict__ y) {
  if constexpr (N == 1 && TL && M > 1) {  // a column that is the row r' l
    times_into<T, 1, K, M, false, false, Add>(r, l, y);
  } else if constexpr ((TR || N == 1) && (!TL || M == 1)) {
    times_dots<T, M, K, N, Add>(l, r, y);
  } else if constexpr (TR && M > 4096) {
    times_long_columns<T, M, K, N, Add>(l, r, y);
  } else if constexpr (TR) {  // columns of y are rows of r l
    T rows[4 * M];
    constexpr int rest = N % 4;
    const auto scatter = [&](int j, int columns) {
      for (int i = 0; i < M; ++i) {
        for (int c = 0; c < columns; ++c) {
          T& out = y[i * N + j + c];
          out = Add ? out + rows[c * M + i] : rows[c * M + i];
        }
      }
    };
    const auto left = [=](int j, int k) { return r[j * K + k]; };
    for (int j = 0; j < N - rest; j += 4) {
      times_rows<T, K, M, 4, false>([=](int c, int k) { return left(j + c, k); }, l, rows, 0);
      scatter(j, 4);
    }
    if constexpr (rest > 0) {
      times_rows<T, K, M, rest, false>([=](int c, int k) { return left(N - rest + c, k); }, l, rows,
                                       0);
      scatter(N - rest, rest);
    }
  } else {
    const auto left = [=](int i, int k) { return TL ? l[k * M + i] : l[i * K + k]; };
    constexpr int rest = M % 4;
    for (int i = 0; i < M - rest; i += 4) times_rows<T, K, N, 4, Add>(left, r, y, i);
    if constexpr (rest > 0) times_rows<T, K, N, rest, Add>(left, r, y, M - rest);
  }
}
template <class T, int M, int K, int N, bool TL = false, bool TR = false>
VECC_FN void times(const T* l, const T* r, T* y) {
  times_into<T, M, K, N, TL, TR, false>(l, r, y);
}
template <class T, int M, int K, int N, bool TL = false, bool TR = false>
VECC_FN void times_add(const T* l, const T* r, T* y) {
  times_into<T, M, K, N, TL, TR, true>(l, r, y);
}

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
