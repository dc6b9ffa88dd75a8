// transr: a group's images, and the derivatives by negatives, by tensor cores (split_tile.h).
#if VECC_KG_HAS_SPACES && VECC_KG_HAS_SPLIT_TILES && VECC_TENSOR_CORES
namespace vecc_kernel {

static_assert(kSpaceRows == kSplitRows, "a block has the rows of a tile");

// A block's products, to numbers from `first_column` on of rows [dim]: its first row is `first_row`
// of `row_count`.
template <class Tile>
VECC_KG_FN void write_split_tile(Tile& tile, Number* to, unsigned first_row, unsigned row_count,
                                 unsigned first_column, const Bound& a) {
  tile.each([&](unsigned own_row, unsigned column, const float* sums) {
    const unsigned row = first_row + own_row;
    const unsigned k = first_column + column;
    if (row >= row_count || k >= a.dim) return;
    Number* const place = row_of(to, row, a.dim) + k;
    if constexpr (kHasFours) {
      *reinterpret_cast<Two*>(place) = {sums[0], sums[1]};
    } else {
      place[0] = sums[0];
      if (k + 1 < a.dim) place[1] = sums[1];
    }
  });
}

// Images of a block's negatives.
struct ImageTile {
  using Rows = SplitLines<kSpaceRows, true>;
  using Columns = SplitLines<kSpaceColumns, true>;
  using Tile = SplitTile<Rows, Columns>;
  static constexpr unsigned kSpace = Tile::kSpace;
  using Squares = ImageSquares<4>;

  const Bound& a;
  const GroupNegatives& of;

  // Their numbers first_column .. first_column + kSpaceColumns - 1.
  __device__ __forceinline__ void project(unsigned first_column, Number* space,
                                          Squares& squares) const {
    const Number* const matrix = matrix_of(a, of.group.relation);
    const Number* const negative = of.row(a, Rows::own_line());
    Tile tile;
    tile.add_stages(
        whole_units(a.dim, kSplitDepth), of.count, a.dim - first_column, space,
        [&](unsigned stage, Number* to_rows, Number* to_columns) {
          const unsigned first = stage * kSplitDepth;
          Rows::copy_all(to_rows, [&](Number* to, unsigned, unsigned term) {
            copy_of_row(to, negative, first + term, a.dim, matrix);
          });
          Columns::copy_all(to_columns, [&](Number* to, unsigned line, unsigned term) {
            const unsigned i = first_column + line;
            const Number* const row = i < a.dim ? row_of(matrix, i, a.dim) : nullptr;
            copy_of_row(to, row, first + term, a.dim, matrix);
          });
        },
        [](unsigned, unsigned, unsigned, Number x) { return x; });
#pragma unroll
    for (unsigned i = 0; i < 2; ++i) {
#pragma unroll
      for (unsigned half = 0; half < 2; ++half) {
        Number sum = 0;
#pragma unroll
        for (unsigned j = 0; j < Tile::kTiles; ++j) {
#pragma unroll
          for (unsigned n = 2 * half; n < 2 * half + 2; ++n) {
            sum = multiply_add(tile.sums[i][j][n], tile.sums[i][j][n], sum);
          }
        }
        squares.add(Tile::column_warp(), Tile::row(i, half), sum, first_column == 0);
      }
    }
    write_split_tile(tile, a.negative_images + of.place * a.dim, 0, of.count, first_column, a);
  }
};

// A block's part of the derivatives by kSpaceRows negatives of a chunk, kSpaceColumns numbers: what
// those by their images come to over groups of the chunk.
struct NegativeTile {
  using Rows = SplitLines<kSpaceRows, true>;
  using Columns = SplitLines<kSpaceColumns, false>;
  using Tile = SplitTile<Rows, Columns>;
  static constexpr unsigned kFactors = kSpaceRows;  // of a group's images
  static constexpr unsigned kSpace = Tile::kSpace + kFactors;

  const Bound& a;
  unsigned first_row;
  unsigned first_column;
  unsigned count;  // of rows
  Tile tile;

  __device__ __forceinline__ NegativeTile(const Bound& bound, unsigned row, unsigned column)
      : a(bound),
        first_row(row),
        first_column(column),
        count(smaller(kSpaceRows, bound.negative_count - row)) {}

  // The groups of a list.
  __device__ __forceinline__ void add(const GroupList& list, unsigned groups, Number* space) {
    for (unsigned n = 0; n < groups; ++n) add_group(list.numbers[n], list.relations[n], space);
  }
  __device__ __forceinline__ void add_group(unsigned group, unsigned relation, Number* space) {
    const unsigned long long images =
        static_cast<unsigned long long>(group) * a.negative_count + first_row;
    const Number* const matrix = matrix_of(a, relation);
    const unsigned own = Rows::own_line();
    const Number* const image = own < count ? a.negative_images + (images + own) * a.dim : nullptr;
    Number* const factors = space + Tile::kSpace;
    __syncthreads();  // those of the group before may be in use
    if (threadIdx.x < kSpaceRows) {
      factors[threadIdx.x] = threadIdx.x < count ? a.norms[images + threadIdx.x] : Number(0);
    }
    tile.add_stages(
        whole_units(a.dim, kSplitDepth), count, a.dim - first_column, space,
        [&](unsigned stage, Number* to_rows, Number* to_columns) {
          const unsigned first = stage * kSplitDepth;
          Rows::copy_all(to_rows, [&](Number* to, unsigned, unsigned term) {
            copy_of_row(to, image, first + term, a.dim, matrix);
          });
          Columns::copy_all(to_columns, [&](Number* to, unsigned line, unsigned term) {
            const unsigned i = first + term;
            const Number* const row = i < a.dim ? row_of(matrix, i, a.dim) : nullptr;
            copy_of_row(to, row, first_column + line, a.dim, matrix);
          });
        },
        [&](unsigned, unsigned row, unsigned, Number x) { return x * factors[row]; });
  }
  __device__ __forceinline__ void write(Number* to) {
    write_split_tile(tile, to, first_row, a.negative_count, first_column, a);
  }
};

}  // namespace vecc_kernel
#endif
