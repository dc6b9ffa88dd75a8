// Kernel prelude, CUDA only: a matrix too large for a block's memory times columns that go from
// memory to memory. A block has 64 of the columns and 128 entries of their products; pieces of
// columns and matrix go through its memory, of which the next are in flight while it adds one up.
namespace vecc_kernel {

// What a thread has of the products: four entries of `Rows` rows. Warps are 4 beside one another,
// each with 32 entries, and 2 below; their lanes lie as those of a ThreadTile. Where there are few
// rows, warps below one another have the same and add up half of each piece.
template <int Rows, bool Shared, bool TL>
struct LargeTile {
  static constexpr int below = Shared ? 4 : 8;      // from one of its rows to the next
  static constexpr int across = kThreads / 32 / 2;  // warps
  static constexpr int beside = TL ? 1 : 8;         // from one of its entries to the next
  static constexpr int rows = Rows * below;         // of a block
  static constexpr int width = across * 32;

  VECC_FN static int half() { return int(threadIdx.x) / 32 / across; }
  VECC_FN static int first_row() {
    const int lane = int(threadIdx.x) % 32;
    return (Shared ? 0 : half() * 4) + lane % 2 + lane / 16 * 2;
  }
  VECC_FN static int first_entry() {
    return int(threadIdx.x) / 32 % across * 32 + int(threadIdx.x) / 2 % 8 * (TL ? 4 : 1);
  }
};

// 128 bytes of each of `Rows` rows in shared memory. Fours of a row stand in another order from row
// to row, so that neighbouring rows' are read from different banks.
template <class T, int Rows>
struct RowPieces {
  static constexpr int depth = 128 / int(sizeof(T));
  static constexpr int fours = depth / 4;
  alignas(16) T entries[Rows * depth];

  VECC_FN static int place(int row, int entry) {
    return row * depth + (entry / 4 ^ row % fours) * 4 + entry % 4;
  }
};
// The same of a matrix whose columns are wanted: `Rows` entries of `depth` rows.
template <class T, int Rows>
struct ColumnPieces {
  static constexpr int depth = RowPieces<T, Rows>::depth;
  alignas(16) T entries[depth * Rows];

  // Neighbouring fours of every fourth entry are read from different banks, too.
  VECC_FN static int place(int row, int entry) {
    return entry * Rows + (row / 4 ^ entry / 4 % 4 * 2) * 4 + row % 4;
  }
};

template <int N>
struct Number {
  static constexpr int value = N;
};
template <class A, class B, bool First>
struct Either {
  using Type = A;
};
template <class A, class B>
struct Either<A, B, false> {
  using Type = B;
};

// What is in a block's memory: what is added up, and what is in flight.
template <class T, bool TL>
struct LargeProducts {
  using Tile = LargeTile<8, false, TL>;  // the largest
  using Matrix = typename Either<ColumnPieces<T, Tile::width>, RowPieces<T, Tile::width>, TL>::Type;
  static constexpr int depth = Matrix::depth;
  struct Stage {
    RowPieces<T, Tile::rows> columns;
    Matrix matrix;
  };
  Stage stages[2];
};

// A pack's copy to shared memory: async_copies.h.
template <class P>
VECC_FN void begin_copy(P* to, const P* from) {
  constexpr unsigned bytes = sizeof(P) < 16 ? unsigned(sizeof(P)) : 16;
  _Pragma("unroll") for (unsigned at = 0; at < sizeof(P); at += bytes) {
    copy_async<bytes>(reinterpret_cast<char*>(to) + at, reinterpret_cast<const char*>(from) + at);
  }
}

// Where a thread's packs P of the first piece of some rows are: of K entries each.
template <class P, class T, int Rows, int K>
struct RowPacks {
  using Pieces = RowPieces<T, Rows>;
  static constexpr int pack = sizeof(P) / sizeof(T);
  static constexpr int packs = Pieces::depth / pack;  // of a row
  static constexpr int below = kThreads / packs;      // from one of a thread's rows to the next
  static constexpr int each = Rows / below;
  const T* begins[each];

  VECC_FN static int first_row() { return int(threadIdx.x) / packs; }
  VECC_FN static int first_entry() { return int(threadIdx.x) % packs * pack; }
  // row(r): where row r begins.
  template <class Row>
  VECC_FN explicit RowPacks(const Row& row) {
    _Pragma("unroll") for (int j = 0; j < each; ++j) {
      begins[j] = row(first_row() + j * below) + last_or(first_entry());
    }
  }
  // Behind a row's last pack that one again.
  VECC_FN static int last_or(int entry) { return entry < K - pack ? entry : K - pack; }
  VECC_FN void copy(int k, Pieces& to) const {
    const int entry = first_entry();
    const int at = K % Pieces::depth == 0 ? k : last_or(k + entry) - last_or(entry);
    _Pragma("unroll") for (int j = 0; j < each; ++j) {
      begin_copy(reinterpret_cast<P*>(to.entries + Pieces::place(first_row() + j * below, entry)),
                 reinterpret_cast<const P*>(begins[j] + at));
    }
  }
};

// The matrix from its entry `first` of the products on.
template <class P, class T, int M, int K, bool TL>
struct MatrixPacks {
  using Pieces = RowPieces<T, LargeTile<8, false, TL>::width>;
  RowPacks<P, T, LargeTile<8, false, TL>::width, K> rows;

  VECC_FN MatrixPacks(const T* matrix, int first)
      : rows([&](int row) { return matrix + size_t(first + row < M ? first + row : M - 1) * K; }) {}
  VECC_FN void copy(int k, Pieces& to) const { rows.copy(k, to); }
};
template <class P, class T, int M, int K>
struct MatrixPacks<P, T, M, K, true> {
  static constexpr int width = LargeTile<8, false, true>::width;
  using Pieces = ColumnPieces<T, width>;
  static constexpr int pack = sizeof(P) / sizeof(T);
  static constexpr int packs = width / pack;
  static constexpr int below = kThreads / packs;
  const T* matrix;  // a thread's first pack
  int entry;

  VECC_FN MatrixPacks(const T* all, int first) : entry(int(threadIdx.x) % packs * pack) {
    matrix = all + (first + entry < M - pack ? first + entry : M - pack);
  }
  VECC_FN void copy(int k, Pieces& to) const {
    _Pragma("unroll") for (int j = 0; j < Pieces::depth / below; ++j) {
      const int at = int(threadIdx.x) / packs + j * below;
      const int row = k + at < K ? k + at : K - 1;
      begin_copy(reinterpret_cast<P*>(to.entries + Pieces::place(entry, at)),
                 reinterpret_cast<const P*>(matrix + size_t(row) * M));
    }
  }
};

// Fours of a piece: of the matrix for a thread's entries, and of the columns for its rows.
template <class Tile, int Rows, class T, bool TL>
struct PieceFours {
  Four<T> w[4];
  Four<T> x[Rows];

  VECC_FN void read(const typename LargeProducts<T, TL>::Stage& stage, int d) {
    constexpr int depth = LargeProducts<T, TL>::depth;
    const T* const entry = stage.matrix.entries + stage.matrix.place(Tile::first_entry(), d);
    _Pragma("unroll") for (int i = 0; i < 4; ++i) {
      w[i] = *reinterpret_cast<const Four<T>*>(entry + i * (TL ? Tile::width : 8 * depth));
    }
    // Rows as far apart as there are fours of a row have theirs in the same order.
    constexpr int fours = depth / 4;
    constexpr int orders = fours > Tile::below ? fours / Tile::below : 1;
    _Pragma("unroll") for (int o = 0; o < orders && o < Rows; ++o) {
      const int row = Tile::first_row() + o * Tile::below;
      const T* const column = stage.columns.entries + stage.columns.place(row, d);
      _Pragma("unroll") for (int c = o; c < Rows; c += orders) {
        x[c] = *reinterpret_cast<const Four<T>*>(column + (c - o) * Tile::below * depth);
      }
    }
  }
  VECC_FN void add_to(T (*sum)[4]) const {
    _Pragma("unroll") for (int c = 0; c < Rows; ++c) {
      _Pragma("unroll") for (int k = 0; k < 4; ++k) {
        _Pragma("unroll") for (int i = 0; i < 4; ++i) {
          sum[c][i] = madd(TL ? w[k].x[i] : w[i].x[k], x[c].x[k], sum[c][i]);
        }
      }
    }
  }
};

// Entries d .. end - 1 of a piece.
template <class Tile, int Rows, class T, bool TL>
VECC_FN void add_entries(const typename LargeProducts<T, TL>::Stage& stage, int d, int end,
                         T (*sum)[4]) {
  _Pragma("unroll 1") for (; d + 4 <= end; d += 4) {
    PieceFours<Tile, Rows, T, TL> fours;
    fours.read(stage, d);
    fours.add_to(sum);
  }
  _Pragma("unroll 1") for (; d < end; ++d) {
    _Pragma("unroll") for (int c = 0; c < Rows; ++c) {
      const int row = Tile::first_row() + c * Tile::below;
      const T x = stage.columns.entries[stage.columns.place(row, d)];
      _Pragma("unroll") for (int i = 0; i < 4; ++i) {
        const int entry = Tile::first_entry() + i * Tile::beside;
        sum[c][i] = madd(stage.matrix.entries[stage.matrix.place(entry, d)], x, sum[c][i]);
      }
    }
  }
}

// The first `depth` entries of a piece; all of them if it is `Whole`.
template <class Tile, int Rows, bool Shared, bool Whole, class T, bool TL>
VECC_FN void add_piece(const typename LargeProducts<T, TL>::Stage& stage, int depth, T (*sum)[4]) {
  constexpr int whole = LargeProducts<T, TL>::depth;
  constexpr int most = Shared ? whole / 2 : whole;
  const int begin = Shared ? Tile::half() * most : 0;
  if (!Whole && depth < whole) {
    const int end = begin + most < depth ? begin + most : depth;
    return add_entries<Tile, Rows, T, TL>(stage, begin, end, sum);
  }
  // Fours that are read before the first is multiplied: as many as there are registers for.
  constexpr int batch = sizeof(T) > 4 || Rows > 4 ? 1 : Rows > 1 ? 2 : 4;
  _Pragma("unroll 1") for (int d = 0; d < most; d += 4 * batch) {
    PieceFours<Tile, Rows, T, TL> fours[batch];
    _Pragma("unroll") for (int b = 0; b < batch; ++b) fours[b].read(stage, begin + d + 4 * b);
    _Pragma("unroll") for (int b = 0; b < batch; ++b) fours[b].add_to(sum);
  }
}

// What both halves have added up becomes the upper warps'.
template <class Tile, int Rows, class T>
VECC_FN void join_halves(T (*sum)[4], T* memory) {
  const int thread = int(threadIdx.x) % (kThreads / 2);
  __syncthreads();
  _Pragma("unroll") for (int c = 0; c < Rows; ++c) {
    _Pragma("unroll") for (int i = 0; i < 4; ++i) {
      T& other = memory[(c * 4 + i) * (kThreads / 2) + thread];
      if (Tile::half() == 1) other = sum[c][i];
    }
  }
  __syncthreads();
  if (Tile::half() == 1) return;
  _Pragma("unroll") for (int c = 0; c < Rows; ++c) {
    _Pragma("unroll") for (int i = 0; i < 4; ++i) {
      sum[c][i] += memory[(c * 4 + i) * (kThreads / 2) + thread];
    }
  }
}

// add(stage, k) for pieces of terms k .. k + depth - 1, one after the other.
template <class P, int M, int K, bool TL, class T, class Row, class Add>
VECC_FN void for_each_piece(const T* matrix, int first, int count, const Row& row,
                            LargeProducts<T, TL>& here, const Add& add) {
  using Here = LargeProducts<T, TL>;
  const RowPacks<P, T, Here::Tile::rows, K> columns(
      [&](int b) { return row(unsigned(b < count ? b : count - 1)); });
  const MatrixPacks<P, T, M, K, TL> entries(matrix, first);
  const auto begin_stage = [&](int k) {
    typename Here::Stage& stage = here.stages[k / Here::depth % 2];
    columns.copy(k, stage.columns);
    entries.copy(k, stage.matrix);
  };
  __syncthreads();
  begin_stage(0);
  _Pragma("unroll 1") for (int k = 0; k < K; k += Here::depth) {
    wait_for_copies();
    __syncthreads();
    if (k + Here::depth < K) begin_stage(k + Here::depth);
    add(here.stages[k / Here::depth % 2], k);
  }
}

template <int Rows, bool Shared, class P, class T, int M, int K, bool TL, class Row, class Target>
VECC_FN void multiply_large(const T* matrix, int first, int count, const Row& row,
                            const Target& target, LargeProducts<T, TL>& here) {
  using Here = LargeProducts<T, TL>;
  using Tile = LargeTile<Rows, Shared, TL>;
  T sum[Rows][4];
  _Pragma("unroll") for (int c = 0; c < Rows; ++c) {
    _Pragma("unroll") for (int i = 0; i < 4; ++i) sum[c][i] = T(0);
  }
  for_each_piece<P, M, K, TL>(matrix, first, count, row, here, [&](const auto& stage, int k) {
    const int depth = K - k < Here::depth ? K - k : Here::depth;
    add_piece<Tile, Rows, Shared, K % Here::depth == 0, T, TL>(stage, depth, sum);
  });
  if constexpr (Shared) join_halves<Tile, Rows>(sum, reinterpret_cast<T*>(&here));
  if (Shared && Tile::half() == 1) return;
  _Pragma("unroll") for (int c = 0; c < Rows; ++c) {
    const int b = Tile::first_row() + c * Tile::below;
    if (b < count) store_entries<T, M, TL>(sum[c], first + Tile::first_entry(), target(b));
  }
}

// Entries of part `part` (`Width` each) of target(b) = op(matrix) times row(b), for b < count (of
// `Rows`), with an M x K matrix (TL: its transpose, K x M). `Aligned`: all rows begin where four
// numbers may, and have whole fours.
template <class T, int M, int K, bool TL, bool Aligned, int Rows, int Width, class Row,
          class Target>
VECC_FN void times_large_matrix(const T* matrix, unsigned part, unsigned count, const Row& row,
                                const Target& target) {
  using Whole = LargeTile<8, false, TL>;
  static_assert(Rows == Whole::rows && Width == Whole::width, "what the warps of a block have");
  using Packs = typename Either<Four<T>, T, Aligned>::Type;
  __shared__ LargeProducts<T, TL> here;
  const int first = int(part) * Width;
  const int rows = int(count);
  const auto multiply = [&](auto each, auto shared) {
    multiply_large<decltype(each)::value, decltype(shared)::value, Packs, T, M, K, TL>(
        matrix, first, rows, row, target, here);
  };
  if (rows > 32) {
    multiply(Number<8>{}, Number<0>{});
  } else if (rows > 16) {
    multiply(Number<8>{}, Number<1>{});
  } else if (rows > 8) {
    multiply(Number<4>{}, Number<1>{});
  } else if (rows > 4) {
    multiply(Number<2>{}, Number<1>{});
  } else {
    multiply(Number<1>{}, Number<1>{});
  }
}

}  // namespace vecc_kernel
