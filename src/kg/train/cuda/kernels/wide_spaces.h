// transr: a group's images, and the derivatives by negatives, by multiply-adds (wide_tiles.h): in
// double precision, and where no tensor cores are.
#if VECC_KG_HAS_SPACES && !VECC_KG_HAS_SPLIT_TILES
namespace vecc_kernel {

// Images of kSpaceRows negatives of a group, and of what is derived from them.
using SpaceTile = WideTile<kSpaceRows / 8>;

// A block's products, to numbers from `first_column` on of rows [dim]: its first row is `first_row`
// of `row_count`.
VECC_KG_FN void write_tile(const SpaceTile& tile, Number* to, unsigned first_row,
                           unsigned row_count, unsigned first_column, const Bound& a) {
#pragma unroll
  for (unsigned i = 0; i < kSpaceRows / 8; ++i) {
    const unsigned row = first_row + SpaceTile::row(i);
    if (row >= row_count) continue;
#pragma unroll
    for (unsigned j = 0; j < 8; j += 4) {
      const unsigned k = first_column + SpaceTile::column(j);
      Four four;
#pragma unroll
      for (unsigned n = 0; n < 4; ++n) four.at[n] = tile.sums[i][j + n];
      write_four(row_of(to, row, a.dim) + k, behind(k, a.dim), four);
    }
  }
}

// Images of a block's negatives.
struct ImageTile {
  static constexpr unsigned kSpace = SpaceTile::kSpace;
  using Squares = ImageSquares<kPairThreads / 32>;

  const Bound& a;
  const GroupNegatives& of;

  // Their numbers first_column .. first_column + kSpaceColumns - 1.
  __device__ __forceinline__ void project(unsigned first_column, Number* space,
                                          Squares& squares) const {
    LaneStage<kSpaceRows> rows;
    LaneStage<kSpaceColumns> columns;
    static_assert(LaneStage<kSpaceRows>::kHeld == 1, "a thread reads one negative");
    const Number* const negative = of.row(a, rows.lane(0));
    const Number* const matrix = matrix_of(a, of.group.relation);
    SpaceTile tile;
    tile.add_stages(
        rows, columns, whole_units(a.dim, kDepth), a.dim - first_column, space,
        [&](unsigned stage, LaneStage<kSpaceRows>& to_rows, LaneStage<kSpaceColumns>& to_columns) {
          to_rows.fetch([&](unsigned, unsigned, unsigned term) {
            const unsigned k = stage * kDepth + term;
            return negative ? read_four(negative + k, behind(k, a.dim)) : Four{};
          });
          to_columns.fetch([&](unsigned, unsigned lane, unsigned term) {
            const unsigned i = first_column + lane;
            const unsigned k = stage * kDepth + term;
            return i < a.dim ? read_four(row_of(matrix, i, a.dim) + k, behind(k, a.dim)) : Four{};
          });
        },
        [&](unsigned stage) { return smaller(kDepth, a.dim - stage * kDepth); }, Unweighted());
#pragma unroll
    for (unsigned i = 0; i < kSpaceRows / 8; ++i) {
      Number sum = 0;
#pragma unroll
      for (unsigned j = 0; j < 8; ++j) sum = multiply_add(tile.sums[i][j], tile.sums[i][j], sum);
      squares.add(threadIdx.x / 32, SpaceTile::row(i), sum, first_column == 0);
    }
    write_tile(tile, a.negative_images + of.place * a.dim, 0, of.count, first_column, a);
  }
};

// A block's part of the derivatives by kSpaceRows negatives of a chunk, kSpaceColumns numbers: what
// those by their images come to over groups of the chunk.
struct NegativeTile {
  using Rows = LaneStage<kSpaceRows>;
  using Columns = TermStage<kSpaceColumns>;
  static constexpr unsigned kSpace = SpaceTile::kSpace;

  const Bound& a;
  unsigned first_row;
  unsigned first_column;
  SpaceTile tile;

  __device__ __forceinline__ NegativeTile(const Bound& bound, unsigned row, unsigned column)
      : a(bound), first_row(row), first_column(column) {}

  // The groups of a list.
  __device__ __forceinline__ void add(const GroupList& list, unsigned count, Number* space) {
    Rows rows;
    Columns columns;
    const unsigned stages = whole_units(a.dim, kDepth);  // of a group
    const unsigned row = first_row + Rows::lane(0);
    tile.add_stages(
        rows, columns, count * stages, a.dim - first_column, space,
        [&](unsigned stage, Rows& to_rows, Columns& to_columns) {
          const unsigned n = stage / stages;
          const unsigned first = stage % stages * kDepth;
          const unsigned long long image =
              static_cast<unsigned long long>(list.numbers[n]) * a.negative_count + row;
          const Number* const matrix = matrix_of(a, list.relations[n]);
          to_rows.fetch([&](unsigned, unsigned, unsigned term) {
            return row < a.negative_count ? read_image(image, first + term) : Four{};
          });
          to_columns.fetch([&](unsigned, unsigned term, unsigned lane) {
            const unsigned i = first + term;
            const unsigned k = first_column + lane;
            return i < a.dim ? read_four(row_of(matrix, i, a.dim) + k, behind(k, a.dim)) : Four{};
          });
        },
        [&](unsigned stage) { return smaller(kDepth, a.dim - stage % stages * kDepth); },
        Unweighted());
  }
  __device__ __forceinline__ void write(Number* to) const {
    write_tile(tile, to, first_row, a.negative_count, first_column, a);
  }
  // What is derived by an image.
  __device__ __forceinline__ Four read_image(unsigned long long image, unsigned k) const {
    const Number factor = a.norms[image];
    Four four = read_four(a.negative_images + image * a.dim + k, behind(k, a.dim));
#pragma unroll
    for (unsigned n = 0; n < 4; ++n) four.at[n] *= factor;
    return four;
  }
};

}  // namespace vecc_kernel
#endif
