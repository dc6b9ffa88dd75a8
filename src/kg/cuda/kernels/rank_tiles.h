// Sums over numbers of kTile rows with kTile columns, in registers over stages of shared memory.
// Each sum is one thread's, in the order of the numbers: those of src/kg/tile_functions.h, bit by
// bit, in whatever tile a pair is.
namespace vecc_kernel {

constexpr unsigned kSide = kTile / 16;       // rows and columns of a thread
constexpr unsigned kPieces = kSide / 4;      // that it has them in
constexpr unsigned kPadded = kTile + 4;      // against conflicts of banks; rows stay aligned
constexpr unsigned kParts = kPairs ? 2 : 1;  // numbers of a term
constexpr unsigned kPlane = kRankStage * kPadded;
constexpr unsigned kSpace = 4 * kPlane;                        // two stages of rows and columns
constexpr unsigned kTileBlocks = sizeof(Number) == 8 ? 1 : 2;  // that a multiprocessor is to hold

struct __align__(4 * sizeof(Number)) Four {
  Number at[4];
};
VECC_KG_FN Four four_of(const Number* from) {
  return *reinterpret_cast<const Four*>(from);
}

// A sum with one term more.
template <TileKind kOf>
VECC_KG_FN Number add_term(Complex<Number> q, Complex<Number> e, Number sum) {
  if constexpr (kOf == TileKind::Product || kOf == TileKind::Projection) {
    return multiply_add(q.re, e.re, sum);
  }
  const Number re = q.re - e.re;
  if constexpr (kOf == TileKind::L1) return sum + absolute(re);
  if constexpr (kOf == TileKind::ComplexL1) {
    const Number im = q.im - e.im;
    return sum + square_root(multiply_add(re, re, im * im));
  }
  return multiply_add(re, re, sum);
}
// The score of a whole sum; a NaN is the lowest.
VECC_KG_FN Number finish_score(Number sum, Number bias) {
  const Number score = score_of<kKind>(sum, bias);
  return score == score ? score : lowest(score);
}

// A thread's place in a tile: its first row and column, further pieces are 16 and 32 behind.
struct TilePlace {
  unsigned row = threadIdx.x / 64 * (16 * kPieces) + threadIdx.x % 32 / 8 * 4;
  unsigned column = threadIdx.x / 32 % 2 * (32 * kPieces) + threadIdx.x % 8 * 4;

  __device__ __forceinline__ unsigned row_at(unsigned i) const { return row + i / 4 * 16 + i % 4; }
  __device__ __forceinline__ unsigned column_at(unsigned j) const {
    return column + j / 4 * 32 + j % 4;
  }
};
using Sums = Number[kSide][kSide];

// Square roots of sums of squares, rounded to nearest. NVIDIA's compilers compute one from an
// approximation of 1 / sqrt(x) by one step of Newton's method where x is at least 2^-101 and
// finite, after a branch for each, and else by a call. Here several have one branch, and what is
// smaller is multiplied by a power of 2 first. Of an infinite x the root is NaN: the score is the
// lowest either way.
#if __CUDA_ARCH__ >= 700
constexpr float kLeastQuick = 0x1p-101f;
VECC_KG_FN bool have_quick_roots(const float (&squares)[kSide]) {
  float least = squares[0];
#pragma unroll
  for (unsigned j = 1; j < kSide; ++j) least = fminf(least, squares[j]);
  return least >= kLeastQuick;
}
VECC_KG_FN float quick_root(float x) {
  float inverse;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x));
  const float root = x * inverse;
  return multiply_add(multiply_add(-root, root, x), 0.5f * inverse, root);
}
VECC_KG_FN float any_root(float x) {
  const bool is_small = x < kLeastQuick;
  const float root = quick_root(is_small ? x * 0x1p64f : x);
  return x == 0 ? 0 : is_small ? root * 0x1p-32f : root;
}
#else
VECC_KG_FN bool have_quick_roots(const float (&)[kSide]) {
  return true;
}
VECC_KG_FN float quick_root(float x) {
  return square_root(x);
}
VECC_KG_FN float any_root(float x) {
  return square_root(x);
}
#endif
VECC_KG_FN bool have_quick_roots(const double (&)[kSide]) {
  return true;
}
VECC_KG_FN double quick_root(double x) {
  return square_root(x);
}
VECC_KG_FN double any_root(double x) {
  return square_root(x);
}

// add_term() of a complex number with those of all columns.
VECC_KG_FN void add_moduli(Complex<Number> q, const Number (&re)[kSide], const Number (&im)[kSide],
                           Number (&sums)[kSide]) {
  Number squares[kSide];
#pragma unroll
  for (unsigned j = 0; j < kSide; ++j) {
    const Number d_re = q.re - re[j];
    const Number d_im = q.im - im[j];
    squares[j] = multiply_add(d_re, d_re, d_im * d_im);
  }
  if (have_quick_roots(squares)) {
#pragma unroll
    for (unsigned j = 0; j < kSide; ++j) sums[j] += quick_root(squares[j]);
  } else {
#pragma unroll
    for (unsigned j = 0; j < kSide; ++j) sums[j] += any_root(squares[j]);
  }
}

// Adds a stage: rows and columns [kRankStage][kPadded].
template <TileKind kOf>
VECC_KG_FN void add_stage(const Number* rows, const Number* columns, const TilePlace& at,
                          Sums& sums) {
  constexpr unsigned kOfTerm = kOf == TileKind::ComplexL1 ? 2 : 1;
  constexpr unsigned kUnrolled = kOf == TileKind::ComplexL1 ? 2 : kRankStage;  // roots are long
#pragma unroll kUnrolled
  for (unsigned k = 0; k < kRankStage; k += kOfTerm) {
    Number q[kOfTerm][kSide];
    Number e[kOfTerm][kSide];
#pragma unroll
    for (unsigned part = 0; part < kOfTerm; ++part) {
#pragma unroll
      for (unsigned piece = 0; piece < kPieces; ++piece) {
        const Four of_row = four_of(rows + (k + part) * kPadded + at.row + piece * 16);
        const Four of_column = four_of(columns + (k + part) * kPadded + at.column + piece * 32);
#pragma unroll
        for (unsigned n = 0; n < 4; ++n) {
          q[part][piece * 4 + n] = of_row.at[n];
          e[part][piece * 4 + n] = of_column.at[n];
        }
      }
    }
#pragma unroll
    for (unsigned i = 0; i < kSide; ++i) {
      if constexpr (kOf == TileKind::ComplexL1) {
        add_moduli(Complex<Number>{q[0][i], q[1][i]}, e[0], e[1], sums[i]);
        continue;
      }
#pragma unroll
      for (unsigned j = 0; j < kSide; ++j) {
        sums[i][j] = add_term<kOf>(Complex<Number>{q[0][i], q[kOfTerm - 1][i]},
                                   Complex<Number>{e[0][j], e[kOfTerm - 1][j]}, sums[i][j]);
      }
    }
  }
}

// A thread's part of a stage of a panel on its way to shared memory: it is fetched while the stage
// before is computed.
struct PanelStage {
  Four fours[kPieces];

  static __device__ __forceinline__ unsigned place(unsigned n) {
    return (threadIdx.x + n * kRankThreads) * 4;
  }
  __device__ __forceinline__ void fetch(const Number* stage) {
#pragma unroll
    for (unsigned n = 0; n < kPieces; ++n) fours[n] = four_of(stage + place(n));
  }
  __device__ __forceinline__ void put(Number* to) const {
#pragma unroll
    for (unsigned n = 0; n < kPieces; ++n) {
      *reinterpret_cast<Four*>(to + place(n) / kTile * kPadded + place(n) % kTile) = fours[n];
    }
  }
};
static_assert(kRankStage * kTile == kRankThreads * 4 * kPieces, "a stage is not its threads'");

// Of two panels of `numbers` numbers of each row.
VECC_KG_FN void add_panels(const Number* rows, const Number* columns, unsigned numbers,
                           const TilePlace& at, Number* space, Sums& sums) {
  PanelStage row_stage;
  PanelStage column_stage;
  row_stage.fetch(rows);
  column_stage.fetch(columns);
  for (unsigned first = 0; first < numbers; first += kRankStage) {
    Number* const stage = space + first / kRankStage % 2 * (2 * kPlane);
    row_stage.put(stage);
    column_stage.put(stage + kPlane);
    __syncthreads();
    if (first + kRankStage < numbers) {
      row_stage.fetch(rows + (first + kRankStage) * kTile);
      column_stage.fetch(columns + (first + kRankStage) * kTile);
    }
    add_stage<kKind>(stage, stage + kPlane, at, sums);
  }
}

#if VECC_KG_HAS_MATRICES
// Of products: kTile rows, whose numbers a thread finds by number(i, k), to a stage. Numbers of a
// row lie side by side if kByNumber, else numbers of rows do.
template <bool kByNumber, class Find>
VECC_KG_FN void load_stage(const Find& number, unsigned first, unsigned end, Number* to) {
  for (unsigned t = threadIdx.x; t < kRankStage * kTile; t += kRankThreads) {
    const unsigned i = kByNumber ? t / kRankStage : t % kTile;
    const unsigned k = kByNumber ? t % kRankStage : t / kTile;
    to[k * kPadded + i] = first + k < end ? number(i, first + k) : Number(0);
  }
}

// A tile of products of rows with a relation's matrix, or its transpose: column j is row j of it.
template <bool kByNumber, class Find>
VECC_KG_FN void add_products(const Bound& a, const Number* matrix, bool transposed,
                             unsigned first_column, const Find& row, const TilePlace& at,
                             Number* space, Sums& sums) {
  const unsigned long long dim = a.dim;
  const unsigned inner = transposed ? a.relation_dim : a.dim;
  const unsigned outer = transposed ? a.dim : a.relation_dim;
  const auto of_row = [&](unsigned j, unsigned k) {
    const unsigned column = first_column + j;
    return column < outer ? matrix[column * dim + k] : Number(0);
  };
  const auto of_column = [&](unsigned j, unsigned k) {
    const unsigned column = first_column + j;
    return column < outer ? matrix[k * dim + column] : Number(0);
  };
  for (unsigned first = 0; first < inner; first += kRankStage) {
    __syncthreads();
    load_stage<kByNumber>(row, first, inner, space);
    if (transposed) {
      load_stage<false>(of_column, first, inner, space + kPlane);
    } else {
      load_stage<true>(of_row, first, inner, space + kPlane);
    }
    __syncthreads();
    add_stage<TileKind::Projection>(space, space + kPlane, at, sums);
  }
}

// A block: a run of queries, kTile numbers of their vectors: M^T h and M t of rescal, M h + r and
// M t - r of transr.
VECC_KG_FN void multiply_queries(const Bound& a) {
  __shared__ __align__(32) Number space[2 * kPlane];
  const unsigned columns = whole_units(a.width, kTile);
  const RankRun run = a.runs[a.first_run + blockIdx.x / columns];
  const unsigned first_column = blockIdx.x % columns * kTile;
  const bool transposed = !kHasSpaces && run.tail != 0;
  const TilePlace at;
  Sums sums = {};
  const auto anchor = [&](unsigned i, unsigned k) {
    return i < run.count ? row_of(a.entities, a.anchors[run.first + i], a.dim)[k] : Number(0);
  };
  add_products<true>(a, a.matrices + run.relation * a.matrix_stride, transposed, first_column,
                     anchor, at, space, sums);
  const Number* const r = kHasSpaces ? a.relations + run.relation * a.relation_stride : nullptr;
  for (unsigned i = 0; i < kSide; ++i) {
    if (at.row_at(i) >= run.count) continue;
    Number* const q = row_of(a.rows, run.first - a.first_query + at.row_at(i), a.width);
    for (unsigned j = 0; j < kSide; ++j) {
      const unsigned k = first_column + at.column_at(j);
      if (k >= a.width) continue;
      Number sum = sums[i][j];
      if (kHasSpaces) sum += run.tail != 0 ? r[k] : -r[k];
      q[k] = sum;
    }
  }
}
#endif

#if VECC_KG_HAS_SPACES
// A block: a panel of entities, kTile numbers of M e, by the relation that the block's queries
// have.
VECC_KG_FN void multiply_answers(const Bound& a) {
  __shared__ __align__(32) Number space[2 * kPlane];
  const unsigned columns = whole_units(a.width, kTile);
  const unsigned long long panel = blockIdx.x / columns;
  const unsigned first_column = blockIdx.x % columns * kTile;
  const Number* const matrix = a.matrices + a.query_relations[a.first_query] * a.matrix_stride;
  const Number* const rows = a.answers + panel * rank_padded(a.dim) * kTile;
  Number* const out = a.projected + panel * rank_padded(a.width) * kTile;
  const TilePlace at;
  Sums sums = {};
  const auto entity = [&](unsigned i, unsigned k) { return rows[k * kTile + i]; };
  add_products<false>(a, matrix, false, first_column, entity, at, space, sums);
  for (unsigned j = 0; j < kSide; ++j) {
    const unsigned k = first_column + at.column_at(j);
    if (k >= a.width) continue;
    for (unsigned i = 0; i < kSide; ++i) out[k * kTile + at.row_at(i)] = sums[i][j];
  }
}
#endif

}  // namespace vecc_kernel
