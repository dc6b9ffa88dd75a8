// Products of rows with columns by a block, kWideColumns of them: kOwn times 8 numbers a thread,
// over stages of terms in shared memory. A stage is fetched while the one before is added; there
// are two in turn, so that a stage costs one barrier. Warps that have no column add nothing. In f32
// tensor cores add a stage (split_products.h) where its numbers are taken as they are.
#if VECC_KG_HAS_MATRICES
namespace vecc_kernel {

// Numbers of rows as they are; what weighs them is another class.
struct Unweighted {
  __device__ __forceinline__ Number operator()(unsigned, unsigned, unsigned, Number x) const {
    return x;
  }
};
template <class Weigh>
constexpr bool kWeighs = true;
template <>
constexpr bool kWeighs<Unweighted> = false;
// What leaves numbers of relations out, where a step does.
template <class Weigh>
VECC_KG_FN auto weigh_dropped(const Weigh& weigh) {
  if constexpr (kDropsRelations) {
    return weigh;
  } else {
    return Unweighted();
  }
}

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

#if VECC_TENSOR_CORES
  static constexpr bool kSplits = sizeof(Number) == sizeof(float) && kOwn % 2 == 0;
  struct __align__(2 * sizeof(Number)) Two {
    Number at[2];
  };

  // A stage, of whose terms those behind `terms` are 0, by tensor cores, 8 at a time: a lane has
  // two side by side, so that lanes read from banks of their own. Of a warp's tiles of 8 columns
  // two have theirs in turns: what a lane reads is side by side, and so are four of its sums.
  __device__ __forceinline__ void add_split(const Number* stage, unsigned terms) {
    const Number* const columns =
        stage + kDepth * kRowStep + threadIdx.x / 32 * 32 + threadIdx.x % 32 / 4 * 2;
#pragma unroll 1
    for (unsigned first = 0; first < terms; first += 8) {
      const unsigned k = first + threadIdx.x % 4 * 2;
      Split<2> of_columns[4];
#pragma unroll
      for (unsigned n = 0; n < 2; ++n) {
#pragma unroll
        for (unsigned j = 0; j < 4; j += 2) {
          const Two two = *reinterpret_cast<const Two*>(columns + (k + n) * kWideStep + j * 8);
          of_columns[j].set(n, two.at[0]);
          of_columns[j + 1].set(n, two.at[1]);
        }
      }
      add_split_rows(stage + k * kRowStep, of_columns);
    }
  }
  // Two rows at a time, read in fours where a thread has as many.
  __device__ __forceinline__ void add_split_rows(const Number* rows, const Split<2> (&columns)[4]) {
    Split<4> own;
#pragma unroll
    for (unsigned i = 0; i < kInFours; i += 4) {
      const Four fours[2] = {four_of(rows + row(i)), four_of(rows + kRowStep + row(i))};
#pragma unroll
      for (unsigned of = 0; of < 4; of += 2) {
#pragma unroll
        for (unsigned n = 0; n < 4; ++n) own.set(n, fours[n / 2].at[of + n % 2]);
        add_split_tiles(own, columns, i + of);
      }
    }
#pragma unroll
    for (unsigned i = kInFours; i < kOwn; i += 2) {
#pragma unroll
      for (unsigned n = 0; n < 4; ++n) own.set(n, rows[n / 2 * kRowStep + row(i + n % 2)]);
      add_split_tiles(own, columns, i);
    }
  }
  // Rows i and i + 1.
  __device__ __forceinline__ void add_split_tiles(const Split<4>& rows,
                                                  const Split<2> (&columns)[4], unsigned i) {
    float tiles[4][4];
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) {
#pragma unroll
      for (unsigned n = 0; n < 4; ++n) tiles[j][n] = sums[i + n / 2][place_of(j, n)];
    }
    add_split_products(rows, columns, tiles);
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) {
#pragma unroll
      for (unsigned n = 0; n < 4; ++n) sums[i + n / 2][place_of(j, n)] = tiles[j][n];
    }
  }
  // Of number n of a lane's four of tile j, where its column is among the thread's.
  static __device__ __forceinline__ constexpr unsigned place_of(unsigned j, unsigned n) {
    return j / 2 * 4 + n % 2 * 2 + j % 2;
  }
#endif

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
      if (threadIdx.x / 32 * 32 >= column_count) continue;
#if VECC_TENSOR_CORES
      if constexpr (kSplits && !kWeighs<Weigh>) {
        add_split(to, terms_of(stage));
        continue;
      }
#endif
      {
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
