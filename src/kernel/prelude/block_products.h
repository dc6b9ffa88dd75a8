// Kernel prelude, CUDA only: a matrix that rows share times the columns of as many rows as a block
// of threads has at once. Both go through shared memory, four numbers at a time where they lie so;
// a thread has four entries of several rows in registers, and adds up each in the order of the
// columns' entries.
namespace vecc_kernel {

// From one row to the next in shared memory, with rows beginning where four numbers may: eight
// threads that read four numbers of neighbouring rows each read from different banks.
template <int Entries>
constexpr int row_step = (Entries + 3) / 4 * 4 + 4;

VECC_FN unsigned smaller(unsigned a, unsigned b) {
  return a < b ? a : b;
}

// Pack P (Four, or one number) after pack, 0 .. Count - 1, by all threads of a block: several are
// loaded before the first is stored. from(i), to(i): where pack i is and goes.
template <class P, int Count, class From, class To>
VECC_FN void move_packs(const From& from, const To& to) {
  constexpr int each = (Count + kThreads - 1) / kThreads;
  constexpr int at_once = each < 8 ? each : 8;
  constexpr bool is_whole = Count % (kThreads * at_once) == 0;
  _Pragma("unroll 1") for (int done = 0; done < each; done += at_once) {
    P held[at_once];
    _Pragma("unroll") for (int j = 0; j < at_once; ++j) {
      const unsigned i = threadIdx.x + (done + j) * kThreads;
      held[j] = *reinterpret_cast<const P*>(from(is_whole || i < Count ? i : 0u));
    }
    _Pragma("unroll") for (int j = 0; j < at_once; ++j) {
      const unsigned i = threadIdx.x + (done + j) * kThreads;
      if (is_whole || i < Count) *reinterpret_cast<P*>(to(i)) = held[j];
    }
  }
}

// Packs P (Four, or one number) on their way to shared memory. from(i), to(i): where pack i is and
// goes.
template <class P, int Count>
struct PacksInFlight {
  static constexpr int each = (Count + kThreads - 1) / kThreads;
  P held[each];

  template <class From>
  VECC_FN void load(const From& from) {
    _Pragma("unroll") for (int j = 0; j < each; ++j) {
      const unsigned i = threadIdx.x + j * kThreads;
      held[j] = *reinterpret_cast<const P*>(from(Count % kThreads == 0 || i < Count ? i : 0u));
    }
  }
  template <class To>
  VECC_FN void put(const To& to) const {
    put_or_zero([](unsigned) { return true; }, to);
  }
  // Zeros for packs that are not here(i).
  template <class Here, class To>
  VECC_FN void put_or_zero(const Here& here, const To& to) const {
    _Pragma("unroll") for (int j = 0; j < each; ++j) {
      const unsigned i = threadIdx.x + j * kThreads;
      if (Count % kThreads == 0 || i < Count) {
        *reinterpret_cast<P*>(to(i)) = here(i) ? held[j] : P{};
      }
    }
  }
};

// Rows 0 .. rows - 1 of the first `cols` entries each, of at most Rows x Cols: what is behind them
// becomes something. row(b): where row b begins. `fours`: all of them begin and end where four
// numbers may.
template <class T, int Rows, int Cols, int Step, class Row>
VECC_FN void move_rows(unsigned rows, unsigned cols, bool fours, const Row& row, T (*to)[Step]) {
  if constexpr (Cols % 4 == 0) {
    if (fours) {
      constexpr unsigned packs = Cols / 4;
      return move_packs<Four<T>, Rows * packs>(
          [&](unsigned i) {
            const unsigned entry = i % packs * 4;
            return row(smaller(i / packs, rows - 1)) + smaller(entry, cols - 4);
          },
          [&](unsigned i) { return to[i / packs] + i % packs * 4; });
    }
  }
  move_packs<T, Rows * Cols>(
      [&](unsigned i) { return row(smaller(i / Cols, rows - 1)) + smaller(i % Cols, cols - 1); },
      [&](unsigned i) { return to[i / Cols] + i % Cols; });
}

// The columns of rows 0 .. count - 1: row(b), of those that begin at `base`, is row b's.
template <class T, int K, int R, class Row>
VECC_FN void load_columns(const T* base, unsigned count, const Row& row,
                          T (*columns)[row_step<K>]) {
  move_rows<T, R, K>(count, K, K % 4 == 0 && begins_packed<T, 4>(base), row, columns);
}

// What a thread has of the products: four entries of `rows` rows. Warps are `across` beside one
// another, each with 32 entries; its lanes are 8 beside one another and 4 below. Of two neighbours,
// or two next but one, one reads what the other does: so a half of a warp reads fours at once.
template <int M, int R, bool TL>
struct ThreadTile {
  static constexpr int width = M > 32 ? 64 : 32;
  static constexpr int across = width / 32;
  static constexpr int down = kThreads / 32 / across;
  static constexpr int rows = R / (4 * down);
  static constexpr int step = TL ? 1 : 8;  // from one of its entries to the next

  VECC_FN static int first_row() {
    const int lane = int(threadIdx.x) % 32;
    return int(threadIdx.x) / 32 / across * (4 * rows) + lane % 2 + lane / 16 * 2;
  }
  VECC_FN static int first_entry() {
    return int(threadIdx.x) / 32 % across * 32 + int(threadIdx.x) / 2 % 8 * (TL ? 4 : 1);
  }
};

// sum += the products of `depth` entries of the columns, from `columns` on, with the piece of the
// matrix that is here: a row an entry of the columns (TL), or of the product.
template <class T, int M, int R, bool TL, int StepC, int StepP>
VECC_FN void add_products(const T (*columns)[StepC], int first, int depth, const T (*piece)[StepP],
                          T (*sum)[4]) {
  using Tile = ThreadTile<M, R, TL>;
  const int row = Tile::first_row();
  const int entry = Tile::first_entry();
  int d = 0;
  _Pragma("unroll 1") for (; d + 4 <= depth; d += 4) {
    Four<T> w[4];
    _Pragma("unroll") for (int i = 0; i < 4; ++i) {
      w[i] =
          *reinterpret_cast<const Four<T>*>(TL ? &piece[d + i][entry] : &piece[entry + 8 * i][d]);
    }
    _Pragma("unroll") for (int c = 0; c < Tile::rows; ++c) {
      const auto x = *reinterpret_cast<const Four<T>*>(&columns[row + 4 * c][first + d]);
      _Pragma("unroll") for (int k = 0; k < 4; ++k) {
        _Pragma("unroll") for (int i = 0; i < 4; ++i) {
          sum[c][i] = madd(TL ? w[k].x[i] : w[i].x[k], x.x[k], sum[c][i]);
        }
      }
    }
  }
  for (; d < depth; ++d) {
    _Pragma("unroll") for (int c = 0; c < Tile::rows; ++c) {
      const T x = columns[row + 4 * c][first + d];
      _Pragma("unroll") for (int i = 0; i < 4; ++i) {
        sum[c][i] = madd(TL ? piece[d][entry + i] : piece[entry + 8 * i][d], x, sum[c][i]);
      }
    }
  }
}

// A thread's entries of a product's row, those below M. `at`: the first of them.
template <class T, int M, bool TL>
VECC_FN void store_entries(const T* sum, int at, T* row) {
  if constexpr (TL && M % 4 == 0) {
    if (at < M && begins_packed<T, 4>(row)) {
      Four<T> all;
      _Pragma("unroll") for (int i = 0; i < 4; ++i) all.x[i] = sum[i];
      *reinterpret_cast<Four<T>*>(row + at) = all;
      return;
    }
  }
  _Pragma("unroll") for (int i = 0; i < 4; ++i) {
    const int entry = at + i * (TL ? 1 : 8);
    if (entry < M) row[entry] = sum[i];
  }
}

// target(b) = op(matrix) columns[b] for b < count (of R), with an M x K matrix (TL: its transpose,
// K x M), of which `Depth` entries of each row's column are here at a time. Waits for the columns;
// others may still read them, or write, when a thread is done.
template <class T, int M, int K, int R, int Depth, bool TL, class Target>
VECC_FN void times_block(const T* matrix, const T (*columns)[row_step<K>], unsigned count,
                         const Target& target) {
  using Tile = ThreadTile<M, R, TL>;
  constexpr int width = Tile::width;
  __shared__ __align__(16) T piece[TL ? Depth : width][row_step < TL ? width : Depth > ];
  const bool fours = (TL ? M : K) % 4 == 0 && begins_packed<T, 4>(matrix);
  const int first_row = Tile::first_row();
  for (int m = 0; m < M; m += width) {
    T sum[Tile::rows][4];
    _Pragma("unroll") for (int c = 0; c < Tile::rows; ++c) {
      _Pragma("unroll") for (int i = 0; i < 4; ++i) sum[c][i] = T(0);
    }
    for (int k = 0; k < K; k += Depth) {
      const int left = K - k < Depth ? K - k : Depth;
      const int across = M - m < width ? M - m : width;
      if (m + k > 0) __syncthreads();
      if constexpr (TL) {
        move_rows<T, Depth, width>(
            left, across, fours, [&](unsigned b) { return matrix + (k + b) * M + m; }, piece);
      } else {
        move_rows<T, width, Depth>(
            across, left, fours, [&](unsigned b) { return matrix + (m + b) * K + k; }, piece);
      }
      __syncthreads();
      if (unsigned(first_row & ~3) < count) {  // a warp's rows, or none of them
        add_products<T, M, R, TL>(columns, k, left, piece, sum);
      }
    }
    _Pragma("unroll") for (int c = 0; c < Tile::rows; ++c) {
      const unsigned b = first_row + 4 * c;
      if (b < count) store_entries<T, M, TL>(sum[c], m + Tile::first_entry(), target(b));
    }
  }
}

}  // namespace vecc_kernel
