// Kernel prelude, of a processor only: products of matrices. Tile is the schedule's: rows of a tile
// whose sums stay in registers, beside a row's packs and one factor.
#if !VECC_CUDA
namespace vecc_kernel {

// Packs of columns of a tile of that many rows. So many that no multiply-add waits for the one
// before it, and that there are fewer loads than multiply-adds.
constexpr int kTilePacks = 2;

// A value of several neighbouring entries.
template <class Value, class T>
VECC_FN Value load_value(const T* from) {
  Value value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
template <class Value, class T>
VECC_FN void store_value(T* to, Value value) {
  __builtin_memcpy(to, &value, sizeof value);
}

// Of Rows rows, Packs packs of columns from `first` on: to[i] = the sum over k < depth, in order,
// of left[i][k * Step] times row k of `right`, whose rows have N entries; with Add, what is there
// comes first. The last pack begins Overlap columns before its place: these are stored twice, the
// same. Packs are loaded once for all rows: what reads memory as often as it multiplies waits for
// it.
template <class Value, int N, int Packs, int Overlap, int Step, bool Add, class T, int Rows>
VECC_FN void times_tile(const T* const (&left)[Rows], const T* __restrict__ right, int depth,
                        T* const (&to)[Rows], int first) {
  constexpr int width = static_cast<int>(sizeof(Value) / sizeof(T));
  Value sum[Rows][Packs] = {};
  right += first;
  for (int k = 0; k < depth; ++k) {
    Value pack[Packs];
    VECC_UNROLL for (int p = 0; p < Packs; ++p) {
      pack[p] = load_value<Value>(right + k * N + p * width - (p == Packs - 1 ? Overlap : 0));
    }
    VECC_UNROLL for (int i = 0; i < Rows; ++i) {
      const Value factor = left[i][k * Step] - Value{};
      VECC_UNROLL for (int p = 0; p < Packs; ++p) sum[i][p] = madd(factor, pack[p], sum[i][p]);
    }
  }
  VECC_UNROLL for (int i = 0; i < Rows; ++i) {
    T* const out = to[i] + first;
    if constexpr (Add && Packs == 1 && Overlap > 0) {  // those before have been added by another
      for (int j = Overlap; j < width; ++j) out[j - Overlap] += sum[i][0][j];
    } else {
      VECC_UNROLL for (int p = 0; Add && p < Packs; ++p) {
        sum[i][p] += load_value<Value>(out + p * width - (p == Packs - 1 ? Overlap : 0));
      }
      VECC_UNROLL for (int p = 0; p < Packs; ++p) {
        store_value(out + p * width - (p == Packs - 1 ? Overlap : 0), sum[i][p]);
      }
    }
  }
}

// The same of fewer columns than a pack has.
template <int N, int Step, bool Add, class T, int Rows>
VECC_FN void times_few_columns(const T* const (&left)[Rows], const T* __restrict__ right, int depth,
                               T* const (&to)[Rows]) {
  VECC_UNROLL for (int i = 0; i < Rows; ++i) {
    T sum[N] = {};
    for (int k = 0; k < depth; ++k) {
      VECC_UNROLL for (int j = 0; j < N; ++j) {
        sum[j] = madd(left[i][k * Step], right[k * N + j], sum[j]);
      }
    }
    VECC_UNROLL for (int j = 0; j < N; ++j) to[i][j] = Add ? to[i][j] + sum[j] : sum[j];
  }
}

// Columns from First on, fewer than a tile of the widest packs has: as few tiles as there can be,
// since each takes the compiler's time.
template <int N, int First, int Step, bool Add, class T, int Rows>
VECC_FN void times_last_columns(const T* const (&left)[Rows], const T* __restrict__ right,
                                int depth, T* const (&to)[Rows]) {
  using Wide = typename WideOf<T>::Type;
  constexpr int wide = WideOf<T>::width;
  constexpr int narrow = PackOf<T>::width;
  constexpr int rest = N - First;
  if constexpr (N < narrow) {
    times_few_columns<N, Step, Add>(left, right, depth, to);
  } else if constexpr (N < wide) {
    constexpr int packs = (N + narrow - 1) / narrow;
    times_tile<Pack<T>, N, packs, packs * narrow - N, Step, Add>(left, right, depth, to, 0);
  } else if constexpr (wide == narrow || rest % wide == 0 || rest % wide > narrow) {
    constexpr int packs = (rest + wide - 1) / wide;
    times_tile<Wide, N, packs, packs * wide - rest, Step, Add>(left, right, depth, to, First);
  } else {
    constexpr int packs = rest / wide;
    constexpr int last = First + packs * wide;
    if constexpr (packs > 0) {
      times_tile<Wide, N, packs, 0, Step, Add>(left, right, depth, to, First);
    }
    times_tile<Pack<T>, N, 1, last + narrow - N, Step, Add>(left, right, depth, to, last);
  }
}

// Packs of a tile of `rows` of Tile rows: as many sums as there are, in a power of two.
template <int Tile>
VECC_FN constexpr int tile_packs(int rows) {
  int packs = kTilePacks;
  while (2 * packs * rows <= Tile * kTilePacks) packs *= 2;
  return packs;
}
// All columns of Rows rows.
template <int N, int Step, int Tile, bool Add, class T, int Rows>
VECC_FN void times_rows(const T* const (&left)[Rows], const T* __restrict__ right, int depth,
                        T* const (&to)[Rows]) {
  using Wide = typename WideOf<T>::Type;
  constexpr int packs = tile_packs<Tile>(Rows);
  constexpr int columns = packs * WideOf<T>::width;
  constexpr int whole = N / columns * columns;
  for (int j = 0; j < whole; j += columns) {
    if constexpr (whole > 0) times_tile<Wide, N, packs, 0, Step, Add>(left, right, depth, to, j);
  }
  if constexpr (N > whole) times_last_columns<N, whole, Step, Add>(left, right, depth, to);
}

// Rows of an M x N matrix, as many as `Rows`; row i of the other one begins at left + i * Down.
template <int N, int Rows, int Down, int Step, int Tile, bool Add, class T>
VECC_FN void times_some_rows(const T* left, const T* __restrict__ right, int depth, T* y) {
  const T* from[Rows];
  T* to[Rows];
  VECC_UNROLL for (int i = 0; i < Rows; ++i) {
    from[i] = left + i * Down;
    to[i] = y + i * N;
  }
  times_rows<N, Step, Tile, Add>(from, right, depth, to);
}
// All rows.
template <int M, int N, int Down, int Step, int Tile, bool Add, class T>
VECC_FN void times_all_rows(const T* __restrict__ left, const T* __restrict__ right, int depth,
                            T* __restrict__ y) {
  constexpr int rest = M % Tile;
  for (int i = 0; i < M - rest; i += Tile) {
    if constexpr (M >= Tile) {
      times_some_rows<N, Tile, Down, Step, Tile, Add>(left + i * Down, right, depth, y + i * N);
    }
  }
  if constexpr (rest > 0) {
    times_some_rows<N, rest, Down, Step, Tile, Add>(left + (M - rest) * Down, right, depth,
                                                    y + (M - rest) * N);
  }
}

// target(b) = a matrix times the column row(b) of K entries, for b < count; the matrix is there as
// its transpose, K x M. Of the last tile the last row may come several times, with the same
// products each time.
template <class T, int K, int M, int Tile, class Row, class Target>
VECC_FN void times_matrix(const T* __restrict__ matrix, unsigned count, const Row& row,
                          const Target& target) {
  for (unsigned b = 0; b < count; b += Tile) {
    const T* from[Tile];
    T* to[Tile];
    VECC_UNROLL for (int i = 0; i < Tile; ++i) {
      const unsigned at = b + unsigned(i) < count ? b + unsigned(i) : count - 1;
      from[i] = row(at);
      to[i] = target(at);
    }
    times_rows<M, 1, Tile, false>(from, matrix, K, to);
  }
}

// The same of the M x K matrix itself, each row of which is read once for all columns.
template <class T, int K, int M, class Row, class Target>
VECC_FN void times_matrix_rows(const T* __restrict__ matrix, unsigned count, const Row& row,
                               const Target& target) {
  for (int j = 0; j < M; ++j) {
    for (unsigned b = 0; b < count; ++b) target(b)[j] = dot<T, K>(row(b), matrix + j * K);
  }
}

// y = op(l) op(r) where the rows of op(r)' are contiguous, and those of op(l).
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
template <class T, int M, int K, int N, bool TL, bool TR, int Tile>
VECC_FN void times(const T* __restrict__ l, const T* __restrict__ r, T* __restrict__ y) {
  if constexpr (K == 1 && N > 1) {  // a column times a row, however these lie
    for (int i = 0; i < M; ++i) {
      const T factor = l[i];
      VECC_LOOP
      for (int j = 0; j < N; ++j) y[i * N + j] = madd(factor, r[j], T(0));
    }
  } else if constexpr (N == 1 && TL && M > 1) {  // a column that is the row r' l
    times<T, 1, K, M, false, false, Tile>(r, l, y);
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
    for (int j = 0; j < N - rest; j += 4) {
      times_some_rows<M, 4, K, 1, Tile, false>(r + j * K, l, K, rows);
      scatter(j, 4);
    }
    if constexpr (rest > 0) {
      times_some_rows<M, rest, K, 1, Tile, false>(r + (N - rest) * K, l, K, rows);
      scatter(N - rest, rest);
    }
  } else {
    times_all_rows<M, N, TL ? 1 : K, TL ? M : 1, Tile, false>(l, r, K, y);
  }
}

// Entries of the largest sum that is kept as its transpose: as many are on the stack beside it.
constexpr int kMostTurned = 8192;
// Members from which on its transpose pays.
constexpr unsigned kFewestTurned = 32;
// Pairs of packs of n columns: a tile's.
template <class T>
VECC_FN constexpr int pack_pairs(int n) {
  return (n + 2 * WideOf<T>::width - 1) / (2 * WideOf<T>::width);
}
// Whether a sum of outer products of so many members, M x N, is kept as its transpose, N x M, until
// all are added: columns that fill fewer packs in all. A sum of 64 x 22 then takes 40 % of the time
// with 16 entries a pack. Each entry is the same.
template <class T, int M, int N>
VECC_FN constexpr bool turns_outer_sum(unsigned members) {
  return M * N <= kMostTurned && N * pack_pairs<T>(M) < M * pack_pairs<T>(N) &&
         members >= kFewestTurned;
}
// y += the sum over members of g x^T, M x N, or its transpose: `g` and `x` have `count` rows of M
// and of N entries.
template <class T, int M, int N, int Tile>
VECC_FN void add_outer_sum(bool turned, const T* __restrict__ g, const T* __restrict__ x, int count,
                           T* __restrict__ y) {
  if constexpr (turns_outer_sum<T, M, N>(kFewestTurned)) {
    if (turned) return times_all_rows<N, M, 1, N, Tile, true>(x, g, count, y);
  }
  times_all_rows<M, N, 1, M, Tile, true>(g, x, count, y);
}
// The sum itself, M x N, where y is its transpose.
template <class T, int M, int N>
VECC_FN void finish_outer_sum(bool turned, T* y) {
  if constexpr (turns_outer_sum<T, M, N>(kFewestTurned)) {
    if (!turned) return;
    T sum[M * N];
    transp<T, N, M>(y, sum);
    for (int i = 0; i < M * N; ++i) y[i] = sum[i];
  }
}

}  // namespace vecc_kernel
#endif
