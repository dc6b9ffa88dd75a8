// Products of f32 numbers by tensor cores, which multiply TF32 numbers of 11 bits: x is `whole`, x
// rounded to TF32, and `rest`, what that leaves, and x y is whole whole' + whole rest' + rest
// whole' but for 2^-20 of it (Markidis et al. 2018; Ootomo and Yokota 2022).
#if VECC_TENSOR_CORES
namespace vecc_kernel {

// Numbers of a lane's rows, or columns: `whole` and `rest`.
template <unsigned kCount>
struct SplitNumbers {
  unsigned whole[kCount];
  unsigned rest[kCount];

  // Rounded by whole numbers, in fewer instructions than cvt.rna.tf32.f32 has. What is no number
  // stays none by its rest; products of infinite ones, and infinite products, become none.
  __device__ __forceinline__ void set(unsigned n, float x) {
    constexpr unsigned kBits = ~0x1FFFu;
    whole[n] = (__float_as_uint(x) + 0x1000u) & kBits;
    rest[n] = __float_as_uint(x - __uint_as_float(whole[n])) & kBits;
  }
};

// Products of rows with columns by a block of two warpgroups: both have the same 64 rows, each
// kColumns columns of its own, or (kRowGroups is 2) 64 rows of its own, and both the same columns.
// Over stages of terms: columns' parts lie in shared memory, rows' in
// registers; while a stage is multiplied, the next one's columns are put beside it, and the one
// behind that is on its way from memory. `Four` has four numbers `at`, side by side in memory.
//
// Lane l has of two rows terms 4 (l % 4) .. + 3 of a stage. What tensor cores take for terms c and
// c + 4 of the first 8, and then of the others, are terms 4 c and 4 c + 1, and 4 c + 2 and 4 c + 3.
// Of columns a thread reads four terms: as many side by side, if a column's are in memory
// (kTermsInLine), or every fourth, where a term's columns are.
template <unsigned kColumns, bool kTermsInLine, class Four, unsigned kRowGroups = 1>
struct SplitTile {
  static_assert(kColumns % 8 == 0, "tiles of 8 columns");
  static constexpr unsigned kRows = 64 * kRowGroups;
  static constexpr unsigned kBlockColumns = 2 / kRowGroups * kColumns;
  static constexpr unsigned kTiles = kColumns / 8;              // of a warpgroup's columns
  static constexpr unsigned kTerms = 16;                        // of a stage
  static constexpr unsigned kHalf = kBlockColumns * 8;          // numbers of 8 terms
  static constexpr unsigned kPart = kTerms / 8 * kHalf;         // of a stage's `whole`, or `rest`
  static constexpr unsigned kSpace = 2 * 2 * kPart;             // numbers of two stages
  static constexpr unsigned kHeld = (kBlockColumns + 63) / 64;  // columns of a thread
  struct Rows {
    Four fours[2];
  };
  struct Columns {
    Four fours[kHeld];
  };

  float sums[kColumns / 2] = {};

  static __device__ __forceinline__ unsigned row(unsigned i) {
    return threadIdx.x / 32 % (4 * kRowGroups) * 16 + i * 8 + threadIdx.x % 32 / 4;
  }
  static __device__ __forceinline__ unsigned row_term(unsigned n) {
    return threadIdx.x % 4 * 4 + n;
  }
  static __device__ __forceinline__ unsigned column(unsigned i) {
    return kTermsInLine ? threadIdx.x / 4 + 64 * i
                        : (threadIdx.x / 128 + 2 * i) * 32 + threadIdx.x % 32;
  }
  static __device__ __forceinline__ unsigned column_term(unsigned n) {
    return kTermsInLine ? threadIdx.x % 4 * 4 + n : n * 4 + threadIdx.x / 32 % 4;
  }

  // Stages one after the other: source.begin_stages(at) and source.advance(at) find where their
  // terms lie, columns(at, to) and rows(at, to, weights) read, weigh(weights, i, n, x) is what
  // stands for number n of row i. All may be asked for stages behind the last. Rows' terms that are
  // not there come to 0; other numbers that are not there may be any. `space`: kSpace numbers of
  // shared memory, at 128 bytes. behind(stage): when it is in the sums.
  template <class Source, class Behind>
  __device__ __forceinline__ void add_all(unsigned stages, float* space, const Source& source,
                                          const Behind& behind) {
    typename Source::Place at;
    Columns columns;
    Rows rows;
    Rows next;
    typename Source::Weights weights;
    typename Source::Weights of_next;
    source.begin_stages(at);
    source.columns(at, columns);
    source.rows(at, rows, weights);
    source.advance(at);
    __syncthreads();  // space may be read by what was added before
    put(columns, space);
    source.columns(at, columns);
    source.rows(at, next, of_next);
    source.advance(at);
    for (unsigned stage = 0; stage < stages; ++stage) {
      __syncthreads();  // nothing reads the other stage's space any more
      SplitNumbers<4> split[2];
#pragma unroll
      for (unsigned n = 0; n < 8; ++n) {
        const float x = rows.fours[n % 2].at[n / 2];
        split[n / 4].set(n % 4, source.weigh(weights, n % 2, n / 2, x));
      }
      float own[kColumns / 2];
      multiply(split, space + stage % 2 * 2 * kPart, own);
      put(columns, space + (stage + 1) % 2 * 2 * kPart);
      rows = next;
      weights = of_next;
      source.columns(at, columns);
      source.rows(at, next, of_next);
      source.advance(at);
      finish_products(own);
#pragma unroll
      for (unsigned n = 0; n < kColumns / 2; ++n) sums[n] += own[n];
      behind(stage);
    }
  }
  template <class Source>
  __device__ __forceinline__ void add_all(unsigned stages, float* space, const Source& source) {
    add_all(stages, space, source, [](unsigned) {});
  }

  // A stage's products, in flight until finish_products(). Small terms first; tensor cores cut sums
  // off, which many terms would show: these are of one stage, and are added as others are.
  __device__ __forceinline__ void multiply(const SplitNumbers<4> (&rows)[2], const float* space,
                                           float (&own)[kColumns / 2]) const {
    const float* const whole = space + group_place(kBlockColumns, half() * kColumns, 0);
    const float* const rest = whole + kPart;
    begin_products();
    add_terms<false>(rows[0].rest, whole, own);
    add_terms<true>(rows[1].rest, whole + kHalf, own);
    add_terms<true>(rows[0].whole, rest, own);
    add_terms<true>(rows[1].whole, rest + kHalf, own);
    add_terms<true>(rows[0].whole, whole, own);
    add_terms<true>(rows[1].whole, whole + kHalf, own);
    commit_products();
  }
  template <bool kAdds>
  static __device__ __forceinline__ void add_terms(const unsigned* rows, const float* columns,
                                                   float (&own)[kColumns / 2]) {
    multiply_group_tf32<kColumns, kAdds>(rows, columns, kBlockColumns, own);
  }
  // Both parts of the thread's columns to a stage's space. What a thread reads of memory it reads
  // behind that: it would wait for it here.
  static __device__ __forceinline__ void put(const Columns& columns, float* space) {
#pragma unroll
    for (unsigned i = 0; i < kHeld; ++i) {
      if (column(i) >= kBlockColumns) continue;
      SplitNumbers<4> split;
#pragma unroll
      for (unsigned n = 0; n < 4; ++n) split.set(n, columns.fours[i].at[n]);
      put_words(split.whole, column(i), space);
      put_words(split.rest, column(i), space + kPart);
    }
    publish_columns();
  }
  // Term 4 c + n is in half n / 2, as slot c + n % 2 * 4.
  static __device__ __forceinline__ void put_words(const unsigned (&words)[4], unsigned column,
                                                   float* space) {
    Four four;
#pragma unroll
    for (unsigned n = 0; n < 4; ++n) four.at[n] = __uint_as_float(words[n]);
    const auto place = [&](unsigned n) {
      return space + n / 2 * kHalf + group_place(kBlockColumns, column, n % 2 * 4);
    };
    if constexpr (kTermsInLine) {
#pragma unroll
      for (unsigned n = 0; n < 4; ++n) place(n)[threadIdx.x % 4] = four.at[n];
    } else {
      *reinterpret_cast<Four*>(place(threadIdx.x / 32 % 4)) = four;
    }
  }

  static __device__ __forceinline__ unsigned half() {
    return threadIdx.x / 128 % (2 / kRowGroups);
  }
  // Sums of row i with columns first_column() + 8 j and the next one.
  static __device__ __forceinline__ unsigned first_column() {
    return half() * kColumns + threadIdx.x % 4 * 2;
  }
  __device__ __forceinline__ const float* two(unsigned i, unsigned j) const {
    return sums + 4 * j + 2 * i;
  }
  // take(row, column, two sums side by side).
  template <class Take>
  __device__ __forceinline__ void each(const Take& take) const {
#pragma unroll
    for (unsigned i = 0; i < 2; ++i) {
#pragma unroll
      for (unsigned j = 0; j < kTiles; ++j) take(row(i), first_column() + j * 8, two(i, j));
    }
  }
};

}  // namespace vecc_kernel
#endif
