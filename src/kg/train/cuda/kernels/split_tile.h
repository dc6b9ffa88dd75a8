// Products of a block's rows with its columns by tensor cores, f32 numbers in two parts each, over
// stages of terms that are copied to shared memory while the stage before is multiplied.
#if VECC_KG_HAS_SPLIT_TILES && VECC_TENSOR_CORES
namespace vecc_kernel {

constexpr unsigned kSplitDepth = 16;  // terms of a stage
constexpr unsigned kSplitRows = 64;   // of a block

struct __align__(8) Two {
  float first;
  float second;
};

// Numbers from, from + 1, .. of a row to shared memory, of which the first `count` of four are
// there; the others become 0. In flight until wait_for_copies().
VECC_KG_FN void copy_four(Number* to, const Number* from, unsigned count) {
  if constexpr (kHasFours) {
    copy_async<16>(to, from, count > 0);
  } else {
#pragma unroll
    for (unsigned n = 0; n < 4; ++n) copy_async<4>(to + n, n < count ? from + n : from, n < count);
  }
}

// Numbers k .. k + 3 of a row [dim] likewise; of no row (null) zeros. `other`: an address that may
// stand where nothing is read.
VECC_KG_FN void copy_of_row(Number* to, const Number* row, unsigned k, unsigned dim,
                            const Number* other) {
  const unsigned count = row != nullptr ? behind(k, dim) : 0;
  copy_four(to, count > 0 ? row + k : other, count);
}

// A stage of kLines rows, or columns, in shared memory, as memory has them: a line's terms side by
// side (kTermsInLine), or a term's lines. The steps leave the banks of a warp's reads apart.
template <unsigned kLines, bool kTermsInLine>
struct SplitLines {
  static constexpr unsigned kStep = kTermsInLine ? kSplitDepth + 4 : kLines + 8;
  static constexpr unsigned kSpace = kStep * (kTermsInLine ? kLines : kSplitDepth);
  static_assert(kTermsInLine || kStep % 32 == 8, "terms are eight banks apart");

  static __device__ __forceinline__ unsigned place(unsigned line, unsigned term) {
    return kTermsInLine ? line * kStep + term : term * kStep + line;
  }
  // Where a thread copies of one line only.
  static __device__ __forceinline__ unsigned own_line() {
    static_assert(kTermsInLine && kLines * kSplitDepth / 4 == kPairThreads, "a four a thread");
    return threadIdx.x / (kSplitDepth / 4);
  }
  // copy(to, line, term) copies four numbers, those of terms `term` .. `term` + 3, or of lines.
  template <class Copy>
  static __device__ __forceinline__ void copy_all(Number* to, const Copy& copy) {
    constexpr unsigned kAcross = (kTermsInLine ? kSplitDepth : kLines) / 4;
    constexpr unsigned kAll = kLines * kSplitDepth / 4;
#pragma unroll
    for (unsigned at = 0; at < kAll; at += kPairThreads) {
      const unsigned n = at + threadIdx.x;
      if (kAll % kPairThreads != 0 && n >= kAll) break;
      const unsigned line = kTermsInLine ? n / kAcross : n % kAcross * 4;
      const unsigned term = kTermsInLine ? n % kAcross * 4 : n / kAcross;
      copy(to + place(line, term), line, term);
    }
  }
};

// A warp has 32 rows, and of the columns every fourth tile of 8, so that warps have equally many
// where the last ones are not there.
template <class Rows, class Columns>
struct SplitTile {
  static constexpr unsigned kTiles = kSpaceColumns / 32;
  static_assert(kSpaceColumns % 32 == 0, "four warps have equally many tiles of 8 columns");
  static constexpr unsigned kStage = Rows::kSpace + Columns::kSpace;
  static constexpr unsigned kSpace = 2 * kStage;
  static constexpr unsigned kHalves = 2;  // of a stage, which tensor cores multiply at once
  static_assert(kSplitDepth == 8 * kHalves, "a stage's halves have 8 terms");

  float sums[2][kTiles][4] = {};

  static __device__ __forceinline__ unsigned first_row() { return threadIdx.x / 32 % 2 * 32; }
  static __device__ __forceinline__ unsigned column_warp() { return threadIdx.x / 64; }
  // Of sums[i][j][2 * half] and the number behind it.
  static __device__ __forceinline__ unsigned row(unsigned i, unsigned half) {
    return first_row() + i * 16 + half * 8 + threadIdx.x % 32 / 4;
  }
  static __device__ __forceinline__ unsigned first_of(unsigned j) {
    return (j * 4 + column_warp()) * 8;
  }
  static __device__ __forceinline__ unsigned column(unsigned j) {
    return first_of(j) + threadIdx.x % 4 * 2;
  }

  // A stage; weigh(row, term, x): what stands for the row's number x.
  template <class Weigh>
  __device__ __forceinline__ void add(const Number* stage, unsigned row_count,
                                      unsigned column_count, const Weigh& weigh) {
    if (first_row() + 16 < row_count) {
      add_rows<2>(stage, column_count, weigh);
    } else if (first_row() < row_count) {
      add_rows<1>(stage, column_count, weigh);
    }
  }
  // kCount times 16 rows. Columns that are not there are 0; a warp leaves out its last tile only.
  template <unsigned kCount, class Weigh>
  __device__ __forceinline__ void add_rows(const Number* stage, unsigned column_count,
                                           const Weigh& weigh) {
    const unsigned own_line = threadIdx.x % 32 / 4;
    const unsigned own_term = threadIdx.x % 4;
    SplitNumbers<4> rows[kCount][kHalves];
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) {
#pragma unroll
      for (unsigned n = 0; n < 4 * kHalves; ++n) {
        const unsigned line = row(i, n % 2);
        const unsigned term = own_term + n / 2 * 4;
        rows[i][n / 4].set(n % 4, weigh(line, term, stage[Rows::place(line, term)]));
      }
    }
    const Number* const of_columns = stage + Rows::kSpace;
#pragma unroll
    for (unsigned j = 0; j < kTiles; ++j) {
      if (j + 1 == kTiles && first_of(j) >= column_count) break;
      SplitNumbers<2> columns[kHalves];
#pragma unroll
      for (unsigned n = 0; n < 2 * kHalves; ++n) {
        const unsigned place = Columns::place(first_of(j) + own_line, own_term + n * 4);
        columns[n / 2].set(n % 2, of_columns[place]);
      }
      add_columns<kCount>(rows, columns, j);
    }
  }
  // Tensor cores cut sums off, which many terms would show: these have a stage's, and are added as
  // others are. Small terms first; both rows' products are in flight together.
  template <unsigned kCount>
  __device__ __forceinline__ void add_columns(const SplitNumbers<4> (&rows)[kCount][kHalves],
                                              const SplitNumbers<2> (&columns)[kHalves],
                                              unsigned j) {
    float own[kCount][4];
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) {
      multiply_first_tf32(rows[i][0].rest, columns[0].whole, own[i]);
    }
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) multiply_tf32(rows[i][1].rest, columns[1].whole, own[i]);
#pragma unroll
    for (unsigned half = 0; half < kHalves; ++half) {
#pragma unroll
      for (unsigned i = 0; i < kCount; ++i) {
        multiply_tf32(rows[i][half].whole, columns[half].rest, own[i]);
      }
    }
#pragma unroll
    for (unsigned half = 0; half < kHalves; ++half) {
#pragma unroll
      for (unsigned i = 0; i < kCount; ++i) {
        multiply_tf32(rows[i][half].whole, columns[half].whole, own[i]);
      }
    }
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) {
#pragma unroll
      for (unsigned n = 0; n < 4; ++n) sums[i][j][n] += own[i][n];
    }
  }

  // All stages: copy(stage, rows, columns) begins to copy one, in their order.
  template <class Copy, class Weigh>
  __device__ __forceinline__ void add_stages(unsigned stages, unsigned row_count,
                                             unsigned column_count, Number* space, const Copy& copy,
                                             const Weigh& weigh) {
    __syncthreads();  // space may be read by what was added before
    if (stages > 0) copy(0, space, space + Rows::kSpace);
    for (unsigned stage = 0; stage < stages; ++stage) {
      wait_for_copies();
      __syncthreads();
      if (stage + 1 < stages) {
        Number* const to = space + (stage + 1) % 2 * kStage;
        copy(stage + 1, to, to + Rows::kSpace);
      }
      add(space + stage % 2 * kStage, row_count, column_count,
          [&](unsigned row, unsigned term, Number x) { return weigh(stage, row, term, x); });
    }
  }

  // take(row, column, two sums side by side).
  template <class Take>
  __device__ __forceinline__ void each(const Take& take) {
#pragma unroll
    for (unsigned i = 0; i < 2; ++i) {
#pragma unroll
      for (unsigned half = 0; half < 2; ++half) {
#pragma unroll
        for (unsigned j = 0; j < kTiles; ++j) take(row(i, half), column(j), sums[i][j] + 2 * half);
      }
    }
  }
};

}  // namespace vecc_kernel
#endif
