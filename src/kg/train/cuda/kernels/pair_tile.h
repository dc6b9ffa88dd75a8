// Tiles of products of f32 numbers by tensor cores. A warp reads what it multiplies from memory, as
// lanes need it; those of a block read the same lines at about the same time, most of them from the
// L1 cache, and wait for each other only at the end.
#if VECC_KG_HAS_PRODUCT_TILES && VECC_TENSOR_CORES
namespace vecc_kernel {

constexpr unsigned kLineTerms = 16;  // that a warp multiplies at once
constexpr unsigned kSideBlocks = 2;  // that a multiprocessor is to hold

// What lane l multiplies of 32 rows, or columns, whose terms lie side by side in memory: four of
// them at terms 4 (l % 4) .. 4 (l % 4) + 3.
struct Lines {
  Four fours[4];

  // Line i of a lane whose l / 4 is `own`.
  static __device__ __forceinline__ unsigned line(unsigned own, unsigned i) { return i * 8 + own; }
  static __device__ __forceinline__ unsigned line(unsigned i) {
    return line(threadIdx.x % 32 / 4, i);
  }
  static __device__ __forceinline__ unsigned first_term() { return threadIdx.x % 4 * 4; }
  __device__ __forceinline__ Number number(unsigned i, unsigned n) const { return fours[i].at[n]; }
};

// A block's kSide rows and columns: a warp has 32 of each, and every kShares-th kLineTerms terms.
template <unsigned kSide>
struct PairTile {
  static constexpr unsigned kAcross = kSide / 32;  // warps side by side
  static constexpr unsigned kShares = kPairThreads / 32 / (kAcross * kAcross);
  static constexpr unsigned kStep = kSide + 4;
  static constexpr unsigned kSpace = kSide * kStep;
  static_assert(kAcross * kAcross * kShares * 32 == kPairThreads, "warps have equal parts");

  float sums[2][4][4] = {};

  static __device__ __forceinline__ unsigned first_row() {
    return threadIdx.x / 32 / kAcross % kAcross * 32;
  }
  static __device__ __forceinline__ unsigned first_column() {
    return threadIdx.x / 32 % kAcross * 32;
  }
  static __device__ __forceinline__ unsigned share() {
    return threadIdx.x / 32 / (kAcross * kAcross);
  }

  __device__ __forceinline__ void add(const Lines& rows, const Lines& columns) {
#pragma unroll
    for (unsigned first = 0; first < 4; first += 2) {
      SplitNumbers<2> of_columns[4];
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) {
#pragma unroll
        for (unsigned n = 0; n < 2; ++n) of_columns[j].set(n, columns.number(j, first + n));
      }
#pragma unroll
      for (unsigned half = 0; half < 2; ++half) {
        SplitNumbers<4> of_rows;
#pragma unroll
        for (unsigned n = 0; n < 4; ++n) {
          of_rows.set(n, rows.number(2 * half + n % 2, first + n / 2));
        }
        add_split_products(of_rows, of_columns, sums[half]);
      }
    }
  }
  // fetch(first, rows, columns) reads kLineTerms terms; they are in flight while those before are
  // multiplied.
  template <class Fetch>
  __device__ __forceinline__ void add_all(unsigned terms, const Fetch& fetch) {
    constexpr unsigned kAll = kShares * kLineTerms;
    unsigned first = share() * kLineTerms;
    if (first >= terms) return;
    Lines rows;
    Lines columns;
    fetch(first, rows, columns);
    for (first += kAll; first < terms; first += kAll) {
      Lines next_rows;
      Lines next_columns;
      fetch(first, next_rows, next_columns);
      add(rows, columns);
      rows = next_rows;
      columns = next_columns;
    }
    add(rows, columns);
  }
  // All shares' sums, in the order of the shares.
  __device__ __forceinline__ void gather(Number* space) const {
    for (unsigned turn = 0; turn < kShares; ++turn) {
      if (turn == share()) {
        each([&](unsigned place, Number sum) {
          space[place] = turn == 0 ? sum : space[place] + sum;
        });
      }
      __syncthreads();
    }
  }
  template <class Take>
  __device__ __forceinline__ void each(const Take& take) const {
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned row = first_row() + Lines::line(i);
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) {
#pragma unroll
        for (unsigned n = 0; n < 2; ++n) {
          const unsigned column = first_column() + Lines::line(threadIdx.x % 4 * 2 + n, j);
          take(row * kStep + column, sums[i / 2][j][i % 2 * 2 + n]);
        }
      }
    }
  }
  // write(row, column, four): what gather() left, four columns at a time.
  template <class Write>
  static __device__ __forceinline__ void write_all(const Number* space, const Write& write) {
    constexpr unsigned kFours = kSide / 4;
    const unsigned column = threadIdx.x % kFours * 4;
#pragma unroll
    for (unsigned row = threadIdx.x / kFours; row < kSide; row += kPairThreads / kFours) {
      write(row, column, four_of(space + row * kStep + column));
    }
  }
};

}  // namespace vecc_kernel
#endif
