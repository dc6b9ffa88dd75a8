// Kernel prelude, CUDA only: what large_products.h computes of many rows, by tensor cores. The
// block's 64 rows and 128 entries lie in shared memory as they do there; a warp has 32 of both.
namespace vecc_kernel {

// Lanes read four terms at once of rows that stand in different places of a tile, so that those
// which are read together come from different banks, and have neighbouring entries of a product.
struct LargeTensorTile {
  static constexpr int rows = 32;  // of a warp: two tiles of 16
  static constexpr int width = 32;
  static constexpr int columns = width / 8;  // tiles

  VECC_FN static int first_row(int tile) {
    const int place = int(threadIdx.x) % 32 / 4;
    return int(threadIdx.x) / 128 * rows + tile * 16 + place / 2 + place % 2 * 4;
  }
  VECC_FN static int first_entry() { return int(threadIdx.x) / 32 % 4 * width; }
  // Of the tiles' columns that a lane reads: the first; the others' follow. Of its products: eight
  // entries that do.
  VECC_FN static int read_entry() { return first_entry() + int(threadIdx.x) % 32 / 4 * 4; }
  VECC_FN static int own_entry() { return first_entry() + int(threadIdx.x) % 4 * 8; }
};

// Four terms from d on of four entries of the matrix, and of one row; zeros from `depth` on.
template <class P, bool Whole, bool TL, class Stage>
VECC_FN void read_matrix_terms(const Stage& stage, int d, int depth, typename P::Four* to) {
  const int entry = LargeTensorTile::read_entry();
  float x[4][4];
  _Pragma("unroll") for (int i = 0; i < 4; ++i) {
    const int at = TL ? stage.matrix.place(entry, d + i) : stage.matrix.place(entry + i, d);
    const auto four = *reinterpret_cast<const Four<float>*>(stage.matrix.entries + at);
    _Pragma("unroll") for (int k = 0; k < 4; ++k)(TL ? x[k][i] : x[i][k]) = four.x[k];
  }
  _Pragma("unroll") for (int j = 0; j < 4; ++j) {
    _Pragma("unroll") for (int i = 0; i < 4; ++i) {
      if (!Whole && d + i >= depth) x[j][i] = 0;
    }
    to[j] = P::round(x[j]);
  }
}
template <class P, bool Whole, class Stage>
VECC_FN typename P::Four read_row_terms(const Stage& stage, int row, int d, int depth) {
  const float* const from = stage.columns.entries + stage.columns.place(row, d);
  auto four = *reinterpret_cast<const Four<float>*>(from);
  _Pragma("unroll") for (int i = 0; i < 4; ++i) {
    if (!Whole && d + i >= depth) four.x[i] = 0;
  }
  return P::round(four.x);
}

// sum += the first `depth` terms of a piece; all of them, if it is `Whole`.
template <class P, bool Whole, bool TL>
VECC_FN void add_tensor_piece(const typename LargeProducts<float, TL>::Stage& stage, int depth,
                              float (*sum)[LargeTensorTile::columns][4]) {
  using Tile = LargeTensorTile;
  constexpr int whole = LargeProducts<float, TL>::depth;
  const int term = int(threadIdx.x) % 4 * 4;
  _Pragma("unroll 1") for (int d = 0; d < (Whole ? whole : depth); d += 16) {
    typename P::Four matrix[Tile::columns];
    read_matrix_terms<P, Whole, TL>(stage, d + term, depth, matrix);
    _Pragma("unroll") for (int r = 0; r < Tile::rows / 16; ++r) {
      const int row = Tile::first_row(r);
      const auto low = read_row_terms<P, Whole>(stage, row, d + term, depth);
      const auto high = read_row_terms<P, Whole>(stage, row + 8, d + term, depth);
      _Pragma("unroll") for (int j = 0; j < Tile::columns; ++j) {
        P::multiply(low, high, matrix[j], sum[r][j]);
      }
    }
  }
}

// The entries of a row's product that a lane has, `half` 1 of the tile's row 8 farther on, from
// `at` on, those below M.
template <int M>
VECC_FN void store_tensor_row(const float (*sum)[4], int half, int at, float* row) {
  _Pragma("unroll") for (int i = 0; i < 2; ++i) {
    const int first = at + i * 4;
    if constexpr (M % 4 == 0) {
      if (begins_packed<float, 4>(row)) {
        const int k = half * 2 + i;
        const Four<float> four{{sum[0][k], sum[1][k], sum[2][k], sum[3][k]}};
        if (first < M) *reinterpret_cast<Four<float>*>(row + first) = four;
        continue;
      }
    }
    _Pragma("unroll") for (int j = 0; j < 4; ++j) {
      if (first + j < M) row[first + j] = sum[j][half * 2 + i];
    }
  }
}

template <class P, class Packs, int M, int K, bool TL, class Row, class Target>
VECC_FN void multiply_large_tensor(const float* matrix, int first, int count, const Row& row,
                                   const Target& target, LargeProducts<float, TL>& here) {
  using Tile = LargeTensorTile;
  constexpr int whole = LargeProducts<float, TL>::depth;
  float sum[Tile::rows / 16][Tile::columns][4] = {};
  for_each_piece<Packs, M, K, TL>(matrix, first, count, row, here, [&](const auto& stage, int k) {
    if (K % whole == 0 || K - k >= whole) {
      add_tensor_piece<P, true, TL>(stage, whole, sum);
    } else {
      add_tensor_piece<P, false, TL>(stage, K - k, sum);
    }
  });
  _Pragma("unroll") for (int r = 0; r < Tile::rows / 16; ++r) {
    _Pragma("unroll") for (int h = 0; h < 2; ++h) {
      const int b = Tile::first_row(r) + h * 8;
      if (b < count) store_tensor_row<M>(sum[r], h, first + Tile::own_entry(), target(b));
    }
  }
}

// times_large_matrix() of operands that are rounded to P.
template <class P, int M, int K, bool TL, bool Aligned, int Rows, int Width, class Row,
          class Target>
VECC_FN void times_large_tensor_matrix(const float* matrix, unsigned part, unsigned count,
                                       const Row& row, const Target& target) {
  static_assert(Rows == 2 * LargeTensorTile::rows && Width == 4 * LargeTensorTile::width,
                "what the warps of a block have");
  using Packs = typename Either<Four<float>, float, Aligned>::Type;
  __shared__ LargeProducts<float, TL> here;
  multiply_large_tensor<P, Packs, M, K, TL>(matrix, int(part) * Width, int(count), row, target,
                                            here);
}

// sum_large_products() of such operands.
template <class P, int M, int N, int Side, class RowG, class RowX>
VECC_FN void sum_large_tensor_products(unsigned part, unsigned first, unsigned last, const RowG& g,
                                       const RowX& x, float* to) {
  using Tiles = TensorOuterProducts<P, Side, Side>;
  constexpr int across = (N + Side - 1) / Side;
  const int top = int(part) / across * Side;
  const int left = int(part) % across * Side;
  __shared__ typename Tiles::Members members;
  float sum[Tiles::each][4][4] = {};
  const auto add = [&](auto pack) {
    using Pack = decltype(pack);
    constexpr unsigned width = sizeof(Pack) / sizeof(float);
    add_tensor_outer_products<P, Pack, Side, Side>(first, last, tile_entries<M, width>(g, top),
                                                   tile_entries<N, width>(x, left), members, sum);
  };
  bool fours = false;
  if constexpr (M % 4 == 0 && N % 4 == 0) {
    fours = first < last && begins_packed<float, 4>(g(first)) && begins_packed<float, 4>(x(first));
    if (fours) add(Four<float>{});
  }
  if (!fours) add(0.0f);
  __syncthreads();
  const int lane = int(threadIdx.x) % 32;
  _Pragma("unroll") for (int t = 0; t < Tiles::each; ++t) {
    float rows[2][8];  // neighbours, of eight columns
    _Pragma("unroll") for (int i = 0; i < 4; ++i) {
      _Pragma("unroll") for (int j = 0; j < 4; ++j) rows[i / 2][i % 2 * 4 + j] = sum[t][j][i];
    }
    store_tile<float, M, N, 2, 8>(rows, top + Tiles::top(t) + lane / 4 * 2,
                                  left + Tiles::left(t) + lane % 4 * 8, to);
  }
}

}  // namespace vecc_kernel
