// Products of rows with columns by a block, kWideColumns of them: kOwn times 8 numbers a thread,
// over stages of terms in shared memory. A stage is fetched while the one before is added; there
// are two in turn, so that a stage costs one barrier. Warps that have no column add nothing.
#if VECC_KG_HAS_MATRICES
namespace vecc_kernel {

constexpr unsigned kDepth = sizeof(Number) == 8 ? 8 : 16;      // terms of a stage
constexpr unsigned kWideStep = kWideColumns + 4;               // against conflicts of banks
constexpr unsigned kWideBlocks = sizeof(Number) == 8 ? 1 : 2;  // that a multiprocessor is to hold
constexpr unsigned kProductBlocks = sizeof(Number) == 8 ? 1 : 3;  // with few rows
static_assert(kWideColumns == kPairThreads, "a warp has 32 columns");

// A thread's part of a stage of kLanes rows, or columns, on its way to shared memory, where a
// term's numbers lie side by side; here they do so in memory, too. read(n, term, lane): part n of
// kHeld, numbers of lanes lane .. lane + 3.
template <unsigned kLanes>
struct TermStage {
  static constexpr unsigned kQuads = kLanes / 4;
  static constexpr unsigned kAll = kDepth * kQuads;
  static constexpr unsigned kHeld = (kAll + kPairThreads - 1) / kPairThreads;
  Four fours[kHeld];

  static __device__ __forceinline__ unsigned place(unsigned n) {
    return threadIdx.x + n * kPairThreads;
  }
  static __device__ __forceinline__ bool has(unsigned n) {
    return kAll % kPairThreads == 0 || place(n) < kAll;
  }
  static __device__ __forceinline__ unsigned term(unsigned n) { return place(n) / kQuads; }
  static __device__ __forceinline__ unsigned lane(unsigned n) { return place(n) % kQuads * 4; }
  template <class Read>
  __device__ __forceinline__ void fetch(const Read& read) {
#pragma unroll
    for (unsigned n = 0; n < kHeld; ++n) {
      if (has(n)) fours[n] = read(n, term(n), lane(n));
    }
  }
  __device__ __forceinline__ void put(Number* to) const {
#pragma unroll
    for (unsigned n = 0; n < kHeld; ++n) {
      if (has(n)) *reinterpret_cast<Four*>(to + term(n) * (kLanes + 4) + lane(n)) = fours[n];
    }
  }
};

// Likewise where a lane's numbers lie side by side: read(n, lane, term) has terms term .. term + 3.
// A warp has 8 terms of 16 lanes: whole sectors of memory, and banks of their own.
template <unsigned kLanes>
struct LaneStage {
  static constexpr unsigned kSpan = kDepth / 8;
  static constexpr unsigned kUnits = kLanes / 16 * kSpan;
  static constexpr unsigned kWarps = kPairThreads / 32;
  static constexpr unsigned kHeld = (kUnits + kWarps - 1) / kWarps;
  Four fours[kHeld];

  static __device__ __forceinline__ unsigned unit(unsigned n) {
    return threadIdx.x / 32 + n * kWarps;
  }
  static __device__ __forceinline__ bool has(unsigned n) {
    return kUnits % kWarps == 0 || unit(n) < kUnits;
  }
  static __device__ __forceinline__ unsigned lane(unsigned n) {
    return unit(n) / kSpan * 16 + threadIdx.x % 32 / 2;
  }
  static __device__ __forceinline__ unsigned term(unsigned n) {
    return (unit(n) % kSpan * 2 + threadIdx.x % 2) * 4;
  }
  template <class Read>
  __device__ __forceinline__ void fetch(const Read& read) {
#pragma unroll
    for (unsigned n = 0; n < kHeld; ++n) {
      if (has(n)) fours[n] = read(n, lane(n), term(n));
    }
  }
  __device__ __forceinline__ void put(Number* to) const {
#pragma unroll
    for (unsigned n = 0; n < kHeld; ++n) {
      if (!has(n)) continue;
#pragma unroll
      for (unsigned m = 0; m < 4; ++m) to[(term(n) + m) * (kLanes + 4) + lane(n)] = fours[n].at[m];
    }
  }
};

// A row's number as it is.
struct Unweighted {
  __device__ __forceinline__ Number operator()(unsigned, unsigned, unsigned, Number x) const {
    return x;
  }
};

// kOwn times 8 rows.
template <unsigned kOwn>
struct WideTile {
  static constexpr unsigned kRows = 8 * kOwn;
  static constexpr unsigned kRowStep = kRows + 4;
  static constexpr unsigned kStage = kDepth * (kRowStep + kWideStep);
  static constexpr unsigned kSpace = 2 * kStage;
  static constexpr unsigned kInFours = kOwn / 4 * 4;  // of a thread's rows

  Number sums[kOwn][8] = {};

  // A thread's rows and columns: four side by side, as shared memory is read.
  static __device__ __forceinline__ unsigned row(unsigned i) {
    const unsigned lane = threadIdx.x % 32 / 4;
    return i < kInFours ? i / 4 * 32 + lane * 4 + i % 4 : kInFours * 8 + (i - kInFours) * 8 + lane;
  }
  static __device__ __forceinline__ unsigned column(unsigned j) {
    return threadIdx.x / 32 * 32 + j / 4 * 16 + threadIdx.x % 4 * 4 + j % 4;
  }

  // A stage, of whose terms those behind `terms` are 0; weigh(term, row, column, x): what stands
  // for the row's number x. kUnroll divides kDepth.
  template <unsigned kUnroll, class Weigh>
  __device__ __forceinline__ void add(const Number* stage, unsigned terms, const Weigh& weigh) {
    for (unsigned first = 0; first < terms; first += kUnroll) {
#pragma unroll
      for (unsigned n = 0; n < kUnroll; ++n) add_term(stage, first + n, weigh);
    }
  }
  template <class Weigh>
  __device__ __forceinline__ void add_term(const Number* stage, unsigned k, const Weigh& weigh) {
    const Number* const columns = stage + kDepth * kRowStep;
    Number by_row[kOwn];
    Number by_column[8];
    read_rows(stage + k * kRowStep, by_row);
#pragma unroll
    for (unsigned j = 0; j < 8; j += 4) {
      const Four four = four_of(columns + k * kWideStep + column(j));
#pragma unroll
      for (unsigned n = 0; n < 4; ++n) by_column[j + n] = four.at[n];
    }
#pragma unroll
    for (unsigned i = 0; i < kOwn; ++i) {
#pragma unroll
      for (unsigned j = 0; j < 8; ++j) {
        const Number x = weigh(k, row(i), column(j), by_row[i]);
        sums[i][j] = multiply_add(x, by_column[j], sums[i][j]);
      }
    }
  }
  static __device__ __forceinline__ void read_rows(const Number* from, Number (&numbers)[kOwn]) {
#pragma unroll
    for (unsigned i = 0; i < kInFours; i += 4) {
      const Four four = four_of(from + row(i));
#pragma unroll
      for (unsigned n = 0; n < 4; ++n) numbers[i + n] = four.at[n];
    }
#pragma unroll
    for (unsigned i = kInFours; i < kOwn; ++i) numbers[i] = from[row(i)];
  }

  // All stages. fetch(stage, rows, columns) reads one; `column_count`: of the block;
  // terms_of(stage).
  template <unsigned kUnroll = 8, class Rows, class Columns, class Fetch, class Terms, class Weigh>
  __device__ __forceinline__ void add_stages(Rows& rows, Columns& columns, unsigned stages,
                                             unsigned column_count, Number* space,
                                             const Fetch& fetch, const Terms& terms_of,
                                             const Weigh& weigh) {
    __syncthreads();  // space may be read by what was added before
    if (stages > 0) fetch(0, rows, columns);
    for (unsigned stage = 0; stage < stages; ++stage) {
      Number* const to = space + stage % 2 * kStage;
      rows.put(to);
      columns.put(to + kDepth * kRowStep);
      __syncthreads();
      if (stage + 1 < stages) fetch(stage + 1, rows, columns);
      if (threadIdx.x / 32 * 32 < column_count) {
        const auto of_stage = [&](unsigned term, unsigned i, unsigned k, Number x) {
          return weigh(stage * kDepth + term, i, k, x);
        };
        add<kUnroll>(to, terms_of(stage), of_stage);
      }
    }
  }
};

}  // namespace vecc_kernel
#endif
