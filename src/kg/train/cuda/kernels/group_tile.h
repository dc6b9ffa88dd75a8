// Products of a block's rows with its columns by tensor cores, f32 numbers in two parts each
// (split_products.h). Both warpgroups have all rows, each half of the columns. Over stages of
// terms: columns' parts lie in shared memory, rows' in registers; while a stage is multiplied, the
// next one's columns are put beside it, and the one behind that is on its way from memory.
#if VECC_KG_HAS_PRODUCT_TILES && VECC_TENSOR_CORES
namespace vecc_kernel {

constexpr unsigned kGroupColumns = VECC_KG_GROUP_COLUMNS;      // of a warpgroup
constexpr unsigned kGroupBlockColumns = 2 * kGroupColumns;     // of a block
constexpr unsigned kGroupTerms = 16;                           // of a stage
constexpr unsigned kGroupHalf = kGroupBlockColumns * 8;        // numbers of 8 terms
constexpr unsigned kGroupPart = kGroupTerms / 8 * kGroupHalf;  // of a stage's `whole`, or `rest`
constexpr unsigned kGroupSpace = 2 * 2 * kGroupPart;           // of two stages
static_assert(kGroupColumns % 8 == 0 && kPairThreads == 256, "two warpgroups, tiles of 8 columns");

// A row's number, the row being `row` steps behind that of `first`: by one instruction.
VECC_KG_FN const Number* number_behind(const Number* first, unsigned row, unsigned step_bytes) {
  const char* const from = reinterpret_cast<const char*>(first);
  return reinterpret_cast<const Number*>(from + static_cast<unsigned long long>(row) * step_bytes);
}

// Lane l has of two rows terms 4 (l % 4) .. + 3 of a stage. What tensor cores take for terms c and
// c + 4 of the first 8, and then of the others, are terms 4 c and 4 c + 1, and 4 c + 2 and 4 c + 3.
// Of columns a thread reads four terms: as many side by side, if a column's are in memory
// (kTermsInLine), or every fourth, where a term's columns are.
template <bool kTermsInLine>
struct GroupTile {
  static constexpr unsigned kHeld = (kGroupBlockColumns + 63) / 64;  // columns of a thread
  struct Rows {
    Four fours[2];
  };
  struct Columns {
    Four fours[kHeld];
  };

  float sums[kGroupColumns / 2] = {};

  static __device__ __forceinline__ unsigned row(unsigned i) {
    return threadIdx.x / 32 % 4 * 16 + i * 8 + threadIdx.x % 32 / 4;
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
  // not there come to 0; other numbers that are not there may be any.
  template <class Source>
  __device__ __forceinline__ void add_all(unsigned stages, Number* space, const Source& source) {
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
        const Number x = rows.fours[n % 2].at[n / 2];
        split[n / 4].set(n % 4, source.weigh(weights, n % 2, n / 2, x));
      }
      float own[kGroupColumns / 2];
      multiply(split, space + stage % 2 * 2 * kGroupPart, own);
      put(columns, space + (stage + 1) % 2 * 2 * kGroupPart);
      rows = next;
      weights = of_next;
      source.columns(at, columns);
      source.rows(at, next, of_next);
      source.advance(at);
      finish_products(own);
#pragma unroll
      for (unsigned n = 0; n < kGroupColumns / 2; ++n) sums[n] += own[n];
    }
  }

  // A stage's products, in flight until finish_products(). Small terms first; tensor cores cut sums
  // off, which many terms would show: these are of one stage, and are added as others are.
  __device__ __forceinline__ void multiply(const SplitNumbers<4> (&rows)[2], const Number* space,
                                           float (&own)[kGroupColumns / 2]) const {
    const Number* const whole = space + group_place(kGroupBlockColumns, half() * kGroupColumns, 0);
    const Number* const rest = whole + kGroupPart;
    begin_products();
    add_terms<false>(rows[0].rest, whole, own);
    add_terms<true>(rows[1].rest, whole + kGroupHalf, own);
    add_terms<true>(rows[0].whole, rest, own);
    add_terms<true>(rows[1].whole, rest + kGroupHalf, own);
    add_terms<true>(rows[0].whole, whole, own);
    add_terms<true>(rows[1].whole, whole + kGroupHalf, own);
    commit_products();
  }
  template <bool kAdds>
  static __device__ __forceinline__ void add_terms(const unsigned* rows, const Number* columns,
                                                   float (&own)[kGroupColumns / 2]) {
    multiply_group_tf32<kGroupColumns, kAdds>(rows, columns, kGroupBlockColumns, own);
  }
  // Both parts of the thread's columns to a stage's space. What a thread reads of memory it reads
  // behind that: it would wait for it here.
  static __device__ __forceinline__ void put(const Columns& columns, Number* space) {
#pragma unroll
    for (unsigned i = 0; i < kHeld; ++i) {
      if (column(i) >= kGroupBlockColumns) continue;
      SplitNumbers<4> split;
#pragma unroll
      for (unsigned n = 0; n < 4; ++n) split.set(n, columns.fours[i].at[n]);
      put_words(split.whole, column(i), space);
      put_words(split.rest, column(i), space + kGroupPart);
    }
    publish_columns();
  }
  // Term 4 c + n is in half n / 2, as slot c + n % 2 * 4.
  static __device__ __forceinline__ void put_words(const unsigned (&words)[4], unsigned column,
                                                   Number* space) {
    Four four;
#pragma unroll
    for (unsigned n = 0; n < 4; ++n) four.at[n] = __uint_as_float(words[n]);
    const auto place = [&](unsigned n) {
      return space + n / 2 * kGroupHalf + group_place(kGroupBlockColumns, column, n % 2 * 4);
    };
    if constexpr (kTermsInLine) {
#pragma unroll
      for (unsigned n = 0; n < 4; ++n) place(n)[threadIdx.x % 4] = four.at[n];
    } else {
      *reinterpret_cast<Four*>(place(threadIdx.x / 32 % 4)) = four;
    }
  }

  static __device__ __forceinline__ unsigned half() {
    return threadIdx.x / 128;
  }
  // take(row, column, two sums side by side).
  template <class Take>
  __device__ __forceinline__ void each(const Take& take) const {
    const unsigned first = half() * kGroupColumns + threadIdx.x % 4 * 2;
#pragma unroll
    for (unsigned i = 0; i < 2; ++i) {
#pragma unroll
      for (unsigned j = 0; j < kGroupColumns / 8; ++j) {
        take(row(i), first + j * 8, sums + 4 * j + 2 * i);
      }
    }
  }
};

// Sums side by side of a row, from `place` on, of which the first `count` are there.
VECC_KG_FN void write_two(Number* place, unsigned count, Two two) {
  if constexpr (kHasFours) {
    if (count > 0) *reinterpret_cast<Two*>(place) = two;
    return;
  }
  if (count > 0) place[0] = two.first;
  if (count > 1) place[1] = two.second;
}

}  // namespace vecc_kernel
#endif
