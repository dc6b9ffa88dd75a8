// Kernel prelude, CUDA only: a matrix of 33 to 64 rows times columns of up to 64 entries that go
// from memory to memory, 128 at a time. Nothing stands in between, so all that a block reads is
// in flight at once: what of the matrix has no room yet in shared memory waits in registers.
namespace vecc_kernel {

// What is in shared memory: the columns, and a piece of the matrix that is `depth` of their entries
// deep.
template <class T, int K, bool TL>
struct RowProducts {
  static constexpr int rows = 128;
  static constexpr int width = 64;
  static constexpr int depth = K < 32 ? K : 32;
  static constexpr int pieces = (K + depth - 1) / depth;
  alignas(16) T columns[rows][row_step<K>];
  alignas(16) T piece[TL ? depth : width][row_step<(TL ? width : depth)>];
};

// Behind a row or a column of the matrix its last one: entries of products that are not stored.
template <class P, class T, int M, int K, bool TL>
struct MatrixPieces {
  using Here = RowProducts<T, K, TL>;
  static constexpr unsigned pack = sizeof(P) / sizeof(T);
  static constexpr unsigned packs = (TL ? Here::width : Here::depth) / pack;  // of a row
  PacksInFlight<P, (TL ? Here::depth : Here::width) * packs> pieces[Here::pieces];

  VECC_FN void load(const T* matrix) {
    _Pragma("unroll") for (int p = 0; p < Here::pieces; ++p) {
      pieces[p].load([&](unsigned i) {
        const unsigned row = i / packs + (TL ? p * Here::depth : 0);
        const unsigned col = i % packs * pack + (TL ? 0 : p * Here::depth);
        return matrix + smaller(row, (TL ? K : M) - 1) * (TL ? M : K) +
               smaller(col, (TL ? M : K) - pack);
      });
    }
  }
  VECC_FN void put(int p, Here& here) const {
    pieces[p].put([&](unsigned i) { return &here.piece[i / packs][i % packs * pack]; });
  }
};

template <class P, class T, int M, int K, bool TL, class Row, class Target>
VECC_FN void multiply_rows(const T* matrix, unsigned count, const Row& row, const Target& target,
                           RowProducts<T, K, TL>& here) {
  using Here = RowProducts<T, K, TL>;
  using Tile = ThreadTile<M, Here::rows, TL>;
  constexpr unsigned pack = sizeof(P) / sizeof(T);
  MatrixPieces<P, T, M, K, TL> pieces;
  PacksInFlight<P, Here::rows * K / int(pack)> columns;
  columns.load(
      [&](unsigned i) { return row(smaller(i / (K / pack), count - 1)) + i % (K / pack) * pack; });
  pieces.load(matrix);
  T sum[Tile::rows][4];
  _Pragma("unroll") for (int c = 0; c < Tile::rows; ++c) {
    _Pragma("unroll") for (int i = 0; i < 4; ++i) sum[c][i] = T(0);
  }
  __syncthreads();
  columns.put([&](unsigned i) { return &here.columns[i / (K / pack)][i % (K / pack) * pack]; });
  const int first_row = Tile::first_row();
  _Pragma("unroll") for (int p = 0; p < Here::pieces; ++p) {
    if (p > 0) __syncthreads();
    pieces.put(p, here);
    __syncthreads();
    const int first = p * Here::depth;
    if (unsigned(first_row & ~3) < count) {  // a warp's rows, or none of them
      add_products<T, M, Here::rows, TL>(
          here.columns, first, K - first < Here::depth ? K - first : Here::depth, here.piece, sum);
    }
  }
  _Pragma("unroll") for (int c = 0; c < Tile::rows; ++c) {
    const unsigned b = first_row + 4 * c;
    if (b < count) store_entries<T, M, TL>(sum[c], Tile::first_entry(), target(b));
  }
}

// target(b) = op(matrix) times row(b) for b < count (of 128), with an M x K matrix (TL: its
// transpose, K x M). `base`: where rows begin.
template <class T, int M, int K, bool TL, class Row, class Target>
VECC_FN void times_rows_of_memory(const T* matrix, const T* base, unsigned count, const Row& row,
                                  const Target& target) {
  static_assert(K % 4 == 0 && M > 32 && M <= 64, "whole packs of a column, one tile a row");
  __shared__ RowProducts<T, K, TL> here;
  if (M % 4 == 0 && begins_packed<T, 4>(matrix) && begins_packed<T, 4>(base)) {
    multiply_rows<Four<T>, T, M, K, TL>(matrix, count, row, target, here);
  } else {
    multiply_rows<T, T, M, K, TL>(matrix, count, row, target, here);
  }
}

}  // namespace vecc_kernel
