// Kernel prelude, of a processor only: products of matrices. Tile is the schedule's: rows of a tile
// whose sums stay in registers, beside a row's packs and one factor.
#if !VECC_CUDA
namespace vecc_kernel {

// Packs of columns of a tile of that many rows. So many that no multiply-add waits for the one
// before it, and that there are fewer loads than multiply-adds.
constexpr int kTilePacks = 2;

// sum[i][j] += entry j of Packs packs of columns (At: PackAt, WideAt), or of so many columns
// (EntryAt), of row i of left right, added up over k < depth in order: left(i, k) is an entry, and
// `right` the first of these columns of a row-major matrix with rows of N entries. Packs are loaded
// once for all rows: what reads memory as often as it multiplies waits for it.
template <class T, int N, int Rows, int Packs, template <class> class At, class Left, class Value>
VECC_FN void add_tile_products(const Left& left, const T* __restrict__ right, int depth,
                               Value (&sum)[Rows][Packs]) {
  constexpr int width = static_cast<int>(sizeof(Value) / sizeof(T));
  for (int k = 0; k < depth; ++k) {
    Value pack[Packs];
    VECC_UNROLL for (int j = 0; j < Packs; ++j) pack[j] = At<T>{k * N + j * width}(right);
    VECC_UNROLL for (int i = 0; i < Rows; ++i) {
      const Value factor = left(i, k) - Value{};
      VECC_UNROLL for (int j = 0; j < Packs; ++j) sum[i][j] = madd(factor, pack[j], sum[i][j]);
    }
  }
}
// Such columns of Rows rows, from `col` on: to(i) is where row i goes, or, with Add, what is added
// to.
template <class T, int N, int Rows, int Packs, bool Add, template <class> class At, class Left,
          class To>
VECC_FN void times_tile(const Left& left, const T* __restrict__ right, int depth, const To& to,
                        int col) {
  using Value = decltype(At<T>{0}(right));
  constexpr int width = static_cast<int>(sizeof(Value) / sizeof(T));
  Value sum[Rows][Packs] = {};
  add_tile_products<T, N, Rows, Packs, At>(left, right + col, depth, sum);
  VECC_UNROLL for (int i = 0; i < Rows; ++i) {
    VECC_UNROLL for (int j = 0; j < Packs; ++j) {
      const At<T> at{col + j * width};
      if constexpr (Add) sum[i][j] += at(to(i));
      at.store(to(i), sum[i][j]);
    }
  }
}
// The last columns, fewer than a pack: of the last pack, where there are as many.
template <class T, int N, int Rows, int First, bool Add, class Left, class To>
VECC_FN void times_last_columns(const Left& left, const T* __restrict__ right, int depth,
                                const To& to) {
  constexpr int width = PackOf<T>::width;
  if constexpr (N < width) {
    times_tile<T, N, Rows, N - First, Add, EntryAt>(left, right, depth, to, First);
  } else {
    Pack<T> sum[Rows][1] = {};
    add_tile_products<T, N, Rows, 1, PackAt>(left, right + (N - width), depth, sum);
    for (int i = 0; i < Rows; ++i) {
      for (int j = First; j < N; ++j) {
        T& out = to(i)[j];
        out = Add ? out + sum[i][0][j - (N - width)] : sum[i][0][j - (N - width)];
      }
    }
  }
}
// Columns First .. N - 1 of Rows rows, in tiles of `Packs` packs and then of fewer.
template <class T, int N, int First, int Rows, int Packs, bool Add, template <class> class At,
          class Left, class To>
VECC_FN void times_columns(const Left& left, const T* __restrict__ right, int depth, const To& to) {
  using Value = decltype(At<T>{0}(right));
  constexpr int width = static_cast<int>(sizeof(Value) / sizeof(T)) * Packs;
  constexpr int last = First + (N - First) / width * width;
  for (int j = First; j < last; j += width) {
    times_tile<T, N, Rows, Packs, Add, At>(left, right, depth, to, j);
  }
  if constexpr (Packs > 1) {
    times_columns<T, N, last, Rows, Packs / 2, Add, At>(left, right, depth, to);
  } else if constexpr (sizeof(Value) > sizeof(Pack<T>)) {
    times_columns<T, N, last, Rows, 1, Add, PackAt>(left, right, depth, to);
  } else if constexpr (N > last) {
    times_last_columns<T, N, Rows, last, Add>(left, right, depth, to);
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
template <class T, int N, int Rows, int Tile, bool Add, class Left, class To>
VECC_FN void times_rows(const Left& left, const T* __restrict__ right, int depth, const To& to) {
  times_columns<T, N, 0, Rows, tile_packs<Tile>(Rows), Add, WideAt>(left, right, depth, to);
}

// All rows of an M x N matrix.
template <class T, int M, int N, int Tile, bool Add, class Left>
VECC_FN void times_all_rows(const Left& left, const T* __restrict__ right, int depth,
                            T* __restrict__ y) {
  constexpr int rest = M % Tile;
  const auto from = [&](int row) { return [=](int i, int k) { return left(row + i, k); }; };
  const auto to = [=](int row) { return [=](int i) { return y + (row + i) * N; }; };
  for (int i = 0; i < M - rest; i += Tile) {
    times_rows<T, N, Tile, Tile, Add>(from(i), right, depth, to(i));
  }
  if constexpr (rest > 0) {
    times_rows<T, N, rest, Tile, Add>(from(M - rest), right, depth, to(M - rest));
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
    times_rows<T, M, Tile, Tile, false>([&](int i, int k) { return from[i][k]; }, matrix, K,
                                        [&](int i) { return to[i]; });
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
    const auto to = [&](int c) { return rows + c * M; };
    const auto scatter = [&](int j, int columns) {
      for (int i = 0; i < M; ++i) {
        for (int c = 0; c < columns; ++c) y[i * N + j + c] = rows[c * M + i];
      }
    };
    const auto left = [=](int j, int k) { return r[j * K + k]; };
    for (int j = 0; j < N - rest; j += 4) {
      times_rows<T, M, 4, Tile, false>([=](int c, int k) { return left(j + c, k); }, l, K, to);
      scatter(j, 4);
    }
    if constexpr (rest > 0) {
      times_rows<T, M, rest, Tile, false>([=](int c, int k) { return left(N - rest + c, k); }, l, K,
                                          to);
      scatter(N - rest, rest);
    }
  } else {
    times_all_rows<T, M, N, Tile, false>(
        [=](int i, int k) { return TL ? l[k * M + i] : l[i * K + k]; }, r, K, y);
  }
}
// y += the sum over members of g x^T, M x N: `g` and `x` have `count` rows of M and of N entries.
template <class T, int M, int N, int Tile>
VECC_FN void add_outer_sum(const T* __restrict__ g, const T* __restrict__ x, int count,
                           T* __restrict__ y) {
  times_all_rows<T, M, N, Tile, true>([=](int i, int k) { return g[k * M + i]; }, x, count, y);
}

}  // namespace vecc_kernel
#endif
