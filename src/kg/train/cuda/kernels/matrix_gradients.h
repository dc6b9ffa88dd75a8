// rescal, transr: the derivative by a relation's matrix, added up by multiply-adds, and the matrix
// moved by it.
#if VECC_KG_HAS_MATRICES
namespace vecc_kernel {

// A block's part of a matrix, and the derivative by it.
struct WideMatrixTile {
  using Tile = WideTile<kMatrixRows / 8>;
  using Rows = TermStage<kMatrixRows>;
  using Columns = TermStage<kMatrixColumns>;
  static constexpr unsigned kSpace = Tile::kSpace;

  const MatrixPart& part;

  __device__ __forceinline__ void add_terms(Tile& tile, Number* space, TermList& list) const {
    for (unsigned first = 0; first < part.terms.count; first += TermList::kCount) {
      list.find(part.terms, first);
      add_listed(tile, space, list, first);
    }
  }
  __device__ __forceinline__ void add_listed(Tile& tile, Number* space, const TermList& list,
                                             unsigned first) const {
    const RelationTerms& terms = part.terms;
    const Bound& a = terms.a;
    const unsigned count = smaller(TermList::kCount, terms.count - first);
    Rows rows;
    Columns columns;
    tile.template add_stages<kDropsRelations ? 1 : 8>(
        rows, columns, whole_units(count, kDepth), a.dim - part.first_column, space,
        [&](unsigned stage, Rows& to_rows, Columns& to_columns) {
          to_rows.fetch([&](unsigned, unsigned term, unsigned lane) {
            return read_vector<true>(a, list.rows[stage * kDepth + term], part.first_row + lane);
          });
          to_columns.fetch([&](unsigned, unsigned term, unsigned lane) {
            const TermVector& x = list.columns[stage * kDepth + term];
            return read_vector<false>(a, x, part.first_column + lane);
          });
        },
        [&](unsigned stage) { return smaller(kDepth, count - stage * kDepth); },
        [&](unsigned term, unsigned i, unsigned k, Number x) {
          if (!kDropsRelations) return x;
          return drop_matrix(a, a.state->now, terms.query_at(first + term), part.first_row + i,
                             part.first_column + k, x);
        });
  }

  // What a thread has of a row.
  __device__ __forceinline__ void read_row(unsigned i, MatrixPiece (&pieces)[2]) const {
#pragma unroll
    for (unsigned half = 0; half < 2; ++half) {
      const unsigned row = Tile::row(i);
      const unsigned column = Tile::column(4 * half);
      const unsigned count = part.count_of(row, column);
      if (count > 0) pieces[half].read(part.terms.a, part.place_of(row, column), count);
    }
  }
  __device__ __forceinline__ void move_row(const RowRates<Number>& rates, unsigned i,
                                           const Number (&sums)[8],
                                           MatrixPiece (&pieces)[2]) const {
#pragma unroll
    for (unsigned half = 0; half < 2; ++half) {
      const unsigned row = Tile::row(i);
      const unsigned column = Tile::column(4 * half);
      const unsigned count = part.count_of(row, column);
      if (count == 0) continue;
      pieces[half].move(part.terms, rates, sums + 4 * half);
      pieces[half].write(part.terms.a, part.place_of(row, column), count);
    }
  }

  // A row of the matrix is read before the one before it is written, so that memory's time passes
  // once.
  __device__ __forceinline__ void run(Number* space, TermList& list) const {
    Tile tile;
    add_terms(tile, space, list);
    const RowRates<Number> rates = rates_of(part.terms.a);
    MatrixPiece now[2] = {};
    MatrixPiece next[2] = {};
    read_row(0, now);
#pragma unroll
    for (unsigned i = 0; i < kMatrixRows / 8; ++i) {
      if (i + 1 < kMatrixRows / 8) read_row(i + 1, next);
      move_row(rates, i, tile.sums[i], now);
      now[0] = next[0];
      now[1] = next[1];
    }
  }
};

#if VECC_KG_HAS_SPLIT_MATRICES && VECC_TENSOR_CORES
using MatrixTile = SplitMatrixTile;
#else
using MatrixTile = WideMatrixTile;
static_assert(kMatrixColumns == kWideColumns, "a tile has the columns of the part");
#endif

// A block: a relation, a part of its matrix.
VECC_KG_FN void move_matrices(const Bound& a) {
  __shared__ __align__(32) Number space[MatrixTile::kSpace];
  __shared__ TermList list;
  if (a.state->failed != 0) return;
  const unsigned rows = whole_units(a.dim, kMatrixRows);
  const unsigned columns = whole_units(a.dim, kMatrixColumns);
  RelationTerms terms(a);
  if (!terms.find(blockIdx.x / (rows * columns))) return;
  const MatrixPart part = {terms, blockIdx.x / columns % rows * kMatrixRows,
                           blockIdx.x % columns * kMatrixColumns};
  part.prefetch();
  MatrixTile{part}.run(space, list);
}

}  // namespace vecc_kernel
#endif
