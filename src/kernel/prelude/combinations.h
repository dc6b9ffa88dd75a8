// Kernel prelude: combinations of two rows, and what those of more need. Lists are the caller's:
// `product` and `crosssum` of several chain times() and crosssum() from left to right. Rows that
// are written overlap no other argument.
namespace vecc_kernel {

// sum[i][j] = entry (first_row + i, first_col + j) of left right, added up over k < depth in order:
// Packs packs of columns, or of one column each where At is EntryAt. left(i, k) is an entry; the
// depth x N matrix `right` is row-major.
template <class T, int N, int Rows, int Packs, template <class> class At, class Left, class Value>
VECC_FN void sum_tile_products(const Left& left, const T* __restrict__ right, int depth,
                               int first_row, int first_col, Value (&sum)[Rows][Packs]) {
  constexpr int width = static_cast<int>(sizeof(Value) / sizeof(T));
  VECC_UNROLL for (int i = 0; i < Rows; ++i) {
    VECC_UNROLL for (int j = 0; j < Packs; ++j) sum[i][j] = Value{};
  }
  for (int k = 0; k < depth; ++k) {
    VECC_UNROLL for (int i = 0; i < Rows; ++i) {
      const Value factor = left(first_row + i, k) - Value{};
      VECC_UNROLL for (int j = 0; j < Packs; ++j) {
        sum[i][j] = madd(factor, At<T>{k * N + first_col + j * width}(right), sum[i][j]);
      }
    }
  }
}
// Such columns of Rows rows of y, or, with Add, added to those.
template <class T, int N, int Rows, int Packs, bool Add, template <class> class At, class Left>
VECC_FN void times_tile(const Left& left, const T* __restrict__ right, int depth, T* __restrict__ y,
                        int first_row, int first_col) {
  using Value = decltype(At<T>{0}(right));
  constexpr int width = static_cast<int>(sizeof(Value) / sizeof(T));
  Value sum[Rows][Packs];
  sum_tile_products<T, N, Rows, Packs, At>(left, right, depth, first_row, first_col, sum);
  VECC_UNROLL for (int i = 0; i < Rows; ++i) {
    VECC_UNROLL for (int j = 0; j < Packs; ++j) {
      const At<T> at{(first_row + i) * N + first_col + j * width};
      if constexpr (Add) sum[i][j] += at(y);
      at.store(y, sum[i][j]);
    }
  }
}
// The last columns, fewer than a pack: of the last pack, where there are as many.
template <class T, int N, int Rows, int First, bool Add, class Left>
VECC_FN void times_last_columns(const Left& left, const T* __restrict__ right, int depth,
                                T* __restrict__ y, int first_row) {
  constexpr int width = PackOf<T>::width;
  if constexpr (N < width) {
    times_tile<T, N, Rows, N - First, Add, EntryAt>(left, right, depth, y, first_row, First);
  } else {
    Pack<T> sum[Rows][1];
    sum_tile_products<T, N, Rows, 1, PackAt>(left, right, depth, first_row, N - width, sum);
    for (int i = 0; i < Rows; ++i) {
      for (int j = First; j < N; ++j) {
        T& out = y[(first_row + i) * N + j];
        out = Add ? out + sum[i][0][j - (N - width)] : sum[i][0][j - (N - width)];
      }
    }
  }
}
// Columns First .. N - 1 of Rows rows, in tiles of `Packs` packs and then of fewer.
template <class T, int N, int First, int Rows, int Packs, bool Add, template <class> class At,
          class Left>
VECC_FN void times_columns(const Left& left, const T* __restrict__ right, int depth,
                           T* __restrict__ y, int row) {
  using Value = decltype(At<T>{0}(right));
  constexpr int width = static_cast<int>(sizeof(Value) / sizeof(T)) * Packs;
  constexpr int last = First + (N - First) / width * width;
  for (int j = First; j < last; j += width) {
    times_tile<T, N, Rows, Packs, Add, At>(left, right, depth, y, row, j);
  }
  if constexpr (Packs > 1) {
    times_columns<T, N, last, Rows, Packs / 2, Add, At>(left, right, depth, y, row);
  } else if constexpr (sizeof(Value) > sizeof(Pack<T>)) {
    times_columns<T, N, last, Rows, 1, Add, PackAt>(left, right, depth, y, row);
  } else if constexpr (N > last) {
    times_last_columns<T, N, Rows, last, Add>(left, right, depth, y, row);
  }
}
// All columns of Rows rows.
template <class T, int N, int Rows, bool Add, class Left>
VECC_FN void times_rows(const Left& left, const T* __restrict__ right, int depth, T* __restrict__ y,
                        int row) {
  times_columns<T, N, 0, Rows, kTilePacks, Add, WideAt>(left, right, depth, y, row);
}

// All rows of an M x N matrix.
template <class T, int M, int N, bool Add, class Left>
VECC_FN void times_all_rows(const Left& left, const T* __restrict__ right, int depth,
                            T* __restrict__ y) {
  constexpr int rest = M % kTileRows;
  for (int i = 0; i < M - rest; i += kTileRows) {
    times_rows<T, N, kTileRows, Add>(left, right, depth, y, i);
  }
  if constexpr (rest > 0) times_rows<T, N, rest, Add>(left, right, depth, y, M - rest);
}

// The same where the rows of op(r)' are contiguous, and those of op(l).
template <class T, int M, int K, int N>
VECC_FN void times_dots(const T* __restrict__ l, const T* __restrict__ r, T* __restrict__ y) {
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) y[i * N + j] = dot<T, K>(l + i * K, r + j * K);
  }
}

// The same where both are transposes and columns of y are too long for the stack: a piece of one at
// a time, each entry the same sum.
template <class T, int M, int K, int N>
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
      for (int i = 0; i < rows; ++i) y[(first + i) * N + j] = sum[i];
    }
  }
}

// y = op(l) op(r): op(l) is M x K and op(r) K x N, all row-major; where TL, l holds the transpose
// of op(l) (K x M), where TR, r that of op(r) (N x K).
template <class T, int M, int K, int N, bool TL = false, bool TR = false>
VECC_FN void times(const T* __restrict__ l, const T* __restrict__ r, T* __restrict__ y) {
  if constexpr (N == 1 && TL && M > 1) {  // a column that is the row r' l
    times<T, 1, K, M>(r, l, y);
  } else if constexpr ((TR || N == 1) && (!TL || M == 1)) {
    times_dots<T, M, K, N>(l, r, y);
  } else if constexpr (TR && M > 4096) {
    times_long_columns<T, M, K, N>(l, r, y);
  } else if constexpr (TR) {  // columns of y are rows of r l
    T rows[4 * M];
    constexpr int rest = N % 4;
    const auto scatter = [&](int j, int columns) {
      for (int i = 0; i < M; ++i) {
        for (int c = 0; c < columns; ++c) y[i * N + j + c] = rows[c * M + i];
      }
    };
    const auto left = [=](int j, int k) { return r[j * K + k]; };
    for (int j = 0; j < N - rest; j += 4) {
      times_rows<T, M, 4, false>([=](int c, int k) { return left(j + c, k); }, l, K, rows, 0);
      scatter(j, 4);
    }
    if constexpr (rest > 0) {
      times_rows<T, M, rest, false>([=](int c, int k) { return left(N - rest + c, k); }, l, K, rows,
                                    0);
      scatter(N - rest, rest);
    }
  } else {
    times_all_rows<T, M, N, false>([=](int i, int k) { return TL ? l[k * M + i] : l[i * K + k]; },
                                   r, K, y);
  }
}
// y += the sum over members of g x^T, M x N: `g` and `x` have `count` rows of M and of N entries.
template <class T, int M, int N>
VECC_FN void add_outer_sum(const T* __restrict__ g, const T* __restrict__ x, int count,
                           T* __restrict__ y) {
  times_all_rows<T, M, N, true>([=](int i, int k) { return g[k * M + i]; }, x, count, y);
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
