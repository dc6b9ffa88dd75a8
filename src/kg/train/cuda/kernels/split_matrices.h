// transr: the derivative by a relation's matrix, added up by tensor cores (split_tile.h), and the
// matrix moved by it.
#if VECC_KG_HAS_SPLIT_MATRICES && VECC_TENSOR_CORES
namespace vecc_kernel {

struct SplitMatrixTile {
  using Rows = SplitLines<kMatrixRows, false>;
  using Columns = SplitLines<kMatrixColumns, false>;
  using Tile = SplitTile<Rows, Columns>;
  static constexpr unsigned kSpace = Tile::kSpace;
  static constexpr unsigned kStep = kMatrixColumns + 8;  // of sums in shared memory
  static_assert(kMatrixRows == kSplitRows && TermList::kCount % kSplitDepth == 0,
                "tiles and whole stages");
  static_assert(kMatrixColumns == kSpaceColumns, "a tile has the columns of the part");
  static_assert(32 * kStep <= kSpace, "sums of a warp's rows have room");

  const MatrixPart& part;

  __device__ __forceinline__ void add_terms(Tile& tile, Number* space, TermList& list) const {
    for (unsigned first = 0; first < part.terms.count; first += TermList::kCount) {
      list.find(part.terms, first);
      add_listed(tile, space, list, smaller(TermList::kCount, part.terms.count - first));
    }
  }
  __device__ __forceinline__ void add_listed(Tile& tile, Number* space, const TermList& list,
                                             unsigned count) const {
    const Bound& a = part.terms.a;
    const auto copy = [&](Number* to, const TermVector& x, unsigned k) {
      copy_of_row(to, x.from, k, a.dim, a.relations);
    };
    tile.add_stages(
        whole_units(count, kSplitDepth), a.dim - part.first_row, a.dim - part.first_column, space,
        [&](unsigned stage, Number* to_rows, Number* to_columns) {
          Rows::copy_all(to_rows, [&](Number* to, unsigned line, unsigned term) {
            copy(to, list.rows[stage * kSplitDepth + term], part.first_row + line);
          });
          Columns::copy_all(to_columns, [&](Number* to, unsigned line, unsigned term) {
            copy(to, list.columns[stage * kSplitDepth + term], part.first_column + line);
          });
        },
        [&](unsigned stage, unsigned, unsigned term, Number x) {
          return x * list.rows[stage * kSplitDepth + term].factor;
        });
  }

  // 32 rows after the others pass through shared memory, so that a thread moves numbers that lie
  // side by side, as those of its warp do.
  __device__ __forceinline__ void run(Number* space, TermList& list) const {
    Tile tile;
    add_terms(tile, space, list);
    const RowRates<Number> rates = rates_of(part.terms.a);
    for (unsigned first = 0; first < kMatrixRows; first += 32) {
      __syncthreads();
      if (Tile::first_row() == first) {
        tile.each([&](unsigned row, unsigned column, const float* sums) {
          *reinterpret_cast<Two*>(space + (row - first) * kStep + column) = {sums[0], sums[1]};
        });
      }
      __syncthreads();
      move_rows(first, rates, space);
    }
  }
  __device__ __forceinline__ void move_rows(unsigned first, const RowRates<Number>& rates,
                                            const Number* space) const {
    constexpr unsigned kAcross = kMatrixColumns / 4;
#pragma unroll 2
    for (unsigned at = threadIdx.x; at < 32 * kAcross; at += kPairThreads) {
      const unsigned row = at / kAcross;
      const unsigned column = at % kAcross * 4;
      const unsigned count = part.count_of(first + row, column);
      if (count == 0) continue;
      const unsigned long long place = part.place_of(first + row, column);
      MatrixPiece piece = {};
      piece.read(part.terms.a, place, count);
      piece.move(part.terms, rates, space + row * kStep + column);
      piece.write(part.terms.a, place, count);
    }
  }
};

}  // namespace vecc_kernel
#endif
