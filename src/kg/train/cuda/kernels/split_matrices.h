// transr: the derivative by a relation's matrix, added up by tensor cores (group_tile.h), and the
// matrix moved by it.
#if VECC_KG_HAS_SPLIT_MATRICES && VECC_TENSOR_CORES
namespace vecc_kernel {

struct SplitMatrixTile {
  using Tile = GroupTile<false>;
  static constexpr unsigned kSpace = kGroupSpace;
  static constexpr unsigned kStep = kMatrixColumns + 8;  // of sums in shared memory
  static_assert(kMatrixRows == kGroupRows && TermList::kCount % kGroupTerms == 0,
                "tiles and whole stages");
  static_assert(kMatrixColumns == kGroupBlockColumns, "a tile has the columns of the part");
  static_assert(32 * kStep <= kSpace, "sums of 32 rows have room");

  const MatrixPart& part;

  // Terms of a list; those that are not there have vectors without numbers.
  struct Source {
    struct Place {
      unsigned first;
    };
    struct Weights {
      Number of_terms[4];
    };
    const TermList& list;
    unsigned numbers[Tile::kHeld];  // the thread's, of a column's vector
    unsigned own_rows[2];           // of a row's

    __device__ __forceinline__ void begin_stages(Place& place) const { place.first = 0; }
    // Behind the list's end its last stage.
    __device__ __forceinline__ void advance(Place& place) const {
      place.first = smaller(place.first + kGroupTerms, TermList::kCount - kGroupTerms);
    }
    __device__ __forceinline__ void columns(const Place& place, Tile::Columns& to) const {
#pragma unroll
      for (unsigned n = 0; n < 4; ++n) {
        const Number* const from = list.columns[place.first + Tile::column_term(n)].from;
#pragma unroll
        for (unsigned i = 0; i < Tile::kHeld; ++i) {
          to.fours[i].at[n] = from != nullptr ? from[numbers[i]] : Number(0);
        }
      }
    }
    __device__ __forceinline__ void rows(const Place& place, Tile::Rows& to,
                                         Weights& weights) const {
#pragma unroll
      for (unsigned n = 0; n < 4; ++n) {
        const TermVector& x = list.rows[place.first + Tile::row_term(n)];
        weights.of_terms[n] = x.factor;
#pragma unroll
        for (unsigned i = 0; i < 2; ++i) {
          to.fours[i].at[n] = x.from != nullptr ? x.from[own_rows[i]] : Number(0);
        }
      }
    }
    __device__ __forceinline__ Number weigh(const Weights& weights, unsigned, unsigned n,
                                            Number x) const {
      return x * weights.of_terms[n];
    }
  };

  __device__ __forceinline__ void add_terms(Tile& tile, Number* space, TermList& list) const {
    const unsigned dim = part.terms.a.dim;
    Source source = {list};
#pragma unroll
    for (unsigned i = 0; i < Tile::kHeld; ++i) {
      source.numbers[i] = smaller(part.first_column + Tile::column(i), dim - 1);
    }
#pragma unroll
    for (unsigned i = 0; i < 2; ++i) {
      source.own_rows[i] = smaller(part.first_row + Tile::row(i), dim - 1);
    }
    for (unsigned first = 0; first < part.terms.count; first += TermList::kCount) {
      list.find(part.terms, first);
      const unsigned count = smaller(TermList::kCount, part.terms.count - first);
      tile.add_all(whole_units(count, kGroupTerms), space, source);
    }
  }

  // 32 rows after the others pass through shared memory, so that a thread moves numbers that lie
  // side by side, as those of its warp do.
  __device__ __forceinline__ void run(Number* space, TermList& list) const {
    Tile tile;
    add_terms(tile, space, list);
    const RowRates<Number> rates = rates_of(part.terms.a);
    for (unsigned first = 0; first < kMatrixRows; first += 32) {
      __syncthreads();
      if (Tile::row(0) / 32 * 32 == first) {
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
