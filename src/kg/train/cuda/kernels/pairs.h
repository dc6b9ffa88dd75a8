// Scores of queries with the negatives of their chunk, and derivatives of the sums: tiles of pairs
// in registers, over stages of shared memory. No number of a pair is stored but its score.
namespace vecc_kernel {

constexpr unsigned kGroups = 4;  // of a block: each has every fourth part of a stage
constexpr unsigned kGroupThreads = kPairThreads / kGroups;
constexpr unsigned kSide = 4;                   // pairs of a thread: kSide times kSide
constexpr unsigned kOfGroup = kTile / kGroups;  // of a stage
constexpr unsigned kPadded = kTile + 4;         // against conflicts of banks; rows stay aligned
constexpr unsigned kParts = kPairs ? 2 : 1;
constexpr unsigned kPlane = kTile * kPadded;
// Blocks that a multiprocessor is to hold: as many as leave the threads their registers.
constexpr unsigned kPairBlocks = sizeof(Number) == 8          ? 1
                                 : kPairs                     ? 2
                                 : kKind == TileKind::Product ? 4
                                                              : 3;

struct __align__(4 * sizeof(Number)) Four {
  Number at[kSide];
};
VECC_KG_FN Four four_of(const Number* from) {
  return *reinterpret_cast<const Four*>(from);
}

// a b + c, rounded once.
VECC_KG_FN float multiply_add(float a, float b, float c) {
  return __fmaf_rn(a, b, c);
}
VECC_KG_FN double multiply_add(double a, double b, double c) {
  return __fma_rn(a, b, c);
}
// 1 / sqrt(x) of a sum of squares, in float to 2^-22; of what is smaller than float's smallest
// normal number that of this: times a difference whose square x is, never more than 1.
VECC_KG_FN float inverse_root(float x) {
  const float normal = larger(x, 0x1p-126f);
#if __CUDA_ARCH__ >= 700
  float root;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(normal));
  return root;
#else
  return 1 / __fsqrt_rn(normal);
#endif
}
VECC_KG_FN double inverse_root(double x) {
  return x > 0 ? 1 / __dsqrt_rn(x) : 0;
}

// (sign(d) + 1) / 2 by units that also multiply and add, which are twice as many as those that
// compare. Of |d| below 2^-127 it is between.
VECC_KG_FN float half_sign(float d) {
  return __saturatef(__fmaf_rn(d, 0x1p127f, 0.5f));
}
VECC_KG_FN double half_sign(double d) {
  return d > 0 ? 1 : d < 0 ? 0 : 0.5;
}

// A score's sum with one term more: score_term().
VECC_KG_FN Number add_score_term(Complex<Number> q, Complex<Number> e, Number sum) {
  if constexpr (kKind == TileKind::Product) return multiply_add(q.re, e.re, sum);
  const Number re = q.re - e.re;
  if constexpr (kKind == TileKind::L1) return sum + absolute(re);
  if constexpr (kPairs) {
    const Number im = q.im - e.im;
    const Number square = multiply_add(re, re, im * im);
    return multiply_add(square, inverse_root(square), sum);
  }
  return multiply_add(re, re, sum);
}
// Adds the derivative by `own` of a pair, a query and a negative: by_query_number() or
// by_answer_number(). Of L1 c times half_sign(): finish_pairs() makes it c times the sign.
template <bool kOfQueries>
VECC_KG_FN void add_pair(Number c, Complex<Number> own, Complex<Number> other,
                         Number (&sum)[kParts]) {
  const Number re = own.re - other.re;
  if constexpr (kKind == TileKind::Product) {
    sum[0] = multiply_add(c, other.re, sum[0]);
  } else if constexpr (kKind == TileKind::L1) {
    sum[0] = multiply_add(c, half_sign(re), sum[0]);
  } else if constexpr (kPairs) {
    const Number im = own.im - other.im;
    const Number factor = -c * inverse_root(multiply_add(re, re, im * im));
    sum[0] = multiply_add(factor, re, sum[0]);
    sum[kParts - 1] = multiply_add(factor, im, sum[kParts - 1]);
  } else {
    sum[0] = multiply_add(-c, re, sum[0]);
  }
}
// Of a row; `total` is the sum of its c.
VECC_KG_FN void finish_pairs(Number total, Number (&sums)[kSide][kParts]) {
  if constexpr (kKind == TileKind::L1) {
#pragma unroll
    for (unsigned j = 0; j < kSide; ++j) sums[j][0] = total - 2 * sums[j][0];
  }
}

// A thread's place in its group: of the pairs' rows and columns the first.
struct TilePlace {
  unsigned group = threadIdx.x / kGroupThreads;
  unsigned row = threadIdx.x % kGroupThreads / (kTile / kSide) * kSide;
  unsigned column = threadIdx.x % (kTile / kSide) * kSide;
};

// A thread's part of kTile numbers of kTile rows on their way to shared memory: they are fetched
// while the stage before is computed.
struct Fetched {
  static constexpr unsigned kCount = kTile * kTile / kPairThreads;
  Number numbers[kParts][kCount];

  // Numbers from `first` on; row(i): row i's address. What is not there is 0.
  template <class Row>
  __device__ __forceinline__ void fetch(const Row& row, unsigned first, unsigned count,
                                        unsigned dim) {
    const unsigned half = dim / kParts;
    const unsigned k = first + threadIdx.x % kTile;
#pragma unroll
    for (unsigned n = 0; n < kCount; ++n) {
      const unsigned i = threadIdx.x / kTile + n * (kPairThreads / kTile);
      const bool is_there = i < count && k < half;
      const Number* const from = is_there ? row(i) + k : nullptr;
#pragma unroll
      for (unsigned part = 0; part < kParts; ++part) {
        numbers[part][n] = is_there ? from[part * half] : Number(0);
      }
    }
  }
  // Into planes [part][..][..]: by number and row, or by row and number.
  template <bool kByNumber>
  __device__ __forceinline__ void put(Number* to) const {
    const unsigned k = threadIdx.x % kTile;
#pragma unroll
    for (unsigned n = 0; n < kCount; ++n) {
      const unsigned i = threadIdx.x / kTile + n * (kPairThreads / kTile);
      const unsigned place = kByNumber ? k * kPadded + i : i * kPadded + k;
#pragma unroll
      for (unsigned part = 0; part < kParts; ++part) to[part * kPlane + place] = numbers[part][n];
    }
  }
};

// The groups' sums of a tile, added in the order of the groups: those of group 0 are then whole.
template <unsigned kCount>
VECC_KG_FN void add_groups(Number (&sums)[kSide][kSide][kCount], const TilePlace& at,
                           Number* space) {
  for (unsigned group = 1; group < kGroups; ++group) {
    __syncthreads();
    for (unsigned i = 0; i < kSide; ++i) {
      for (unsigned j = 0; j < kSide; ++j) {
        Number* const place = space + (at.row + i) * kPadded + at.column + j;
        for (unsigned part = 0; part < kCount; ++part) {
          if (at.group == group) place[part * kPlane] = sums[i][j][part];
        }
      }
    }
    __syncthreads();
    if (at.group != 0) continue;
    for (unsigned i = 0; i < kSide; ++i) {
      for (unsigned j = 0; j < kSide; ++j) {
        const Number* const place = space + (at.row + i) * kPadded + at.column + j;
        for (unsigned part = 0; part < kCount; ++part) sums[i][j][part] += place[part * kPlane];
      }
    }
  }
}

// A block: kTile queries of a chunk with kTile negatives.
VECC_KG_FN void score_tile(const Bound& a) {
  __shared__ __align__(32) Number q[kParts * kPlane];
  __shared__ __align__(32) Number e[kParts * kPlane];
  if (a.state->failed != 0) return;
  const unsigned columns = whole_units(a.negative_count, kTile);
  const unsigned rows = whole_units(a.chunk, kTile);
  const unsigned chunk = blockIdx.x / (columns * rows);
  const Batch batch(a, a.state->now);
  const ChunkQueries queries(a, batch, chunk);
  const unsigned first_row = blockIdx.x / columns % rows * kTile;
  if (first_row >= queries.count) return;
  const unsigned first_column = blockIdx.x % columns * kTile;
  const unsigned row_count = smaller(kTile, queries.count - first_row);
  const unsigned column_count = smaller(kTile, a.negative_count - first_column);
  const Number* const first_query = row_of(a.queries, queries.first + first_row, a.dim);
  const unsigned* const negatives =
      a.negatives + static_cast<unsigned long long>(chunk) * a.negative_count + first_column;
  const TilePlace at;
  Number sums[kSide][kSide][1] = {};
  const auto query = [&](unsigned i) { return row_of(first_query, i, a.dim); };
  const auto negative = [&](unsigned i) { return entity(a, negatives[i]); };
  Fetched next_q;
  Fetched next_e;
  next_q.fetch(query, 0, row_count, a.dim);
  next_e.fetch(negative, 0, column_count, a.dim);
  for (unsigned first = 0; first < a.dim / kParts; first += kTile) {
    __syncthreads();
    next_q.put<true>(q);
    next_e.put<true>(e);
    __syncthreads();
    next_q.fetch(query, first + kTile, row_count, a.dim);
    next_e.fetch(negative, first + kTile, column_count, a.dim);
#pragma unroll
    for (unsigned n = 0; n < kOfGroup; ++n) {
      const unsigned k = (at.group * kOfGroup + n) * kPadded;
      const Four q_re = four_of(q + k + at.row);
      const Four e_re = four_of(e + k + at.column);
      const Four q_im = kPairs ? four_of(q + (kParts - 1) * kPlane + k + at.row) : q_re;
      const Four e_im = kPairs ? four_of(e + (kParts - 1) * kPlane + k + at.column) : e_re;
#pragma unroll
      for (unsigned i = 0; i < kSide; ++i) {
#pragma unroll
        for (unsigned j = 0; j < kSide; ++j) {
          sums[i][j][0] = add_score_term(Complex<Number>{q_re.at[i], q_im.at[i]},
                                         Complex<Number>{e_re.at[j], e_im.at[j]}, sums[i][j][0]);
        }
      }
    }
  }
  add_groups<1>(sums, at, q);
  if (at.group != 0) return;
  for (unsigned i = 0; i < kSide && at.row + i < row_count; ++i) {
    const unsigned query = queries.first + first_row + at.row + i;
    Number* const out =
        a.scores + static_cast<unsigned long long>(query) * a.negative_count + first_column;
    for (unsigned j = 0; j < kSide && at.column + j < column_count; ++j) {
      const Number score = score_of<kKind>(sums[i][j][0], a.biases[query]);
      out[at.column + j] = score == score ? score : no_negative();
    }
  }
}

// A block: the derivatives by kTile numbers of kTile rows, queries of a chunk or its negatives, as
// sums over all of the other side.
// Space: c by other row and row, o the others by number.
template <bool kOfQueries>
VECC_KG_FN void gradient_tile(const Bound& a, const Batch& batch, unsigned block, Number* c,
                              Number* o) {
  const unsigned columns = whole_units(a.dim / kParts, kTile);
  const unsigned rows = whole_units(kOfQueries ? a.chunk : a.negative_count, kTile);
  const unsigned chunk = block / (columns * rows);
  const ChunkQueries queries(a, batch, chunk);
  const unsigned all_rows = kOfQueries ? queries.count : a.negative_count;
  const unsigned others = kOfQueries ? a.negative_count : queries.count;
  const unsigned first_row = block / columns % rows * kTile;
  if (first_row >= all_rows || queries.count == 0) return;
  const unsigned row_count = smaller(kTile, all_rows - first_row);
  const unsigned first = block % columns * kTile;
  const unsigned half = a.dim / kParts;
  const unsigned long long first_negative =
      static_cast<unsigned long long>(chunk) * a.negative_count;
  const auto query = [&](unsigned i) { return row_of(a.queries, queries.first + i, a.dim); };
  const auto negative = [&](unsigned i) { return entity(a, a.negatives[first_negative + i]); };
  const Number* const scores =
      a.scores + static_cast<unsigned long long>(queries.first) * a.negative_count;
  const TilePlace at;
  Complex<Number> own[kSide][kSide];
  if (is_of_difference(kKind)) {
    for (unsigned i = 0; i < kSide; ++i) {
      for (unsigned j = 0; j < kSide; ++j) {
        const unsigned row = first_row + at.row + i;
        const unsigned k = first + at.column + j;
        own[i][j] = {Number(0), Number(0)};
        if (row >= all_rows || k >= half) continue;
        const Number* from = nullptr;
        if (kOfQueries) from = query(row);
        if (!kOfQueries) from = negative(row);
        own[i][j] = {from[k], kPairs ? from[half + k] : Number(0)};
      }
    }
  }
  Number sums[kSide][kSide][kParts] = {};
  Number totals[kSide] = {};
  Fetched next;
  Number next_c[Fetched::kCount];
  const auto fetch = [&](unsigned begin) {
    const unsigned count = begin < others ? smaller(kTile, others - begin) : 0;
#pragma unroll
    for (unsigned n = 0; n < Fetched::kCount; ++n) {
      const unsigned line = threadIdx.x / kTile + n * (kPairThreads / kTile);
      const unsigned lane = threadIdx.x % kTile;  // negatives lie side by side
      const unsigned other = kOfQueries ? lane : line;
      const unsigned row = kOfQueries ? line : lane;
      const unsigned i = kOfQueries ? first_row + row : begin + other;
      const unsigned j = kOfQueries ? begin + other : first_row + row;
      next_c[n] = other < count && row < row_count
                      ? scores[static_cast<unsigned long long>(i) * a.negative_count + j]
                      : Number(0);
    }
    if constexpr (kOfQueries) {
      next.fetch([&](unsigned i) { return negative(begin + i); }, first, count, a.dim);
    } else {
      next.fetch([&](unsigned i) { return query(begin + i); }, first, count, a.dim);
    }
  };
  fetch(0);
  for (unsigned begin = 0; begin < others; begin += kTile) {
    __syncthreads();
#pragma unroll
    for (unsigned n = 0; n < Fetched::kCount; ++n) {
      const unsigned line = threadIdx.x / kTile + n * (kPairThreads / kTile);
      const unsigned lane = threadIdx.x % kTile;
      c[kOfQueries ? lane * kPadded + line : line * kPadded + lane] = next_c[n];
    }
    next.put<false>(o);
    __syncthreads();
    fetch(begin + kTile);
#pragma unroll
    for (unsigned n = 0; n < kOfGroup; ++n) {
      const unsigned other = (at.group * kOfGroup + n) * kPadded;
      const Four factors = four_of(c + other + at.row);
      const Four o_re = four_of(o + other + at.column);
      const Four o_im = kPairs ? four_of(o + (kParts - 1) * kPlane + other + at.column) : o_re;
#pragma unroll
      for (unsigned i = 0; i < kSide; ++i) {
        if constexpr (kKind == TileKind::L1) totals[i] += factors.at[i];
#pragma unroll
        for (unsigned j = 0; j < kSide; ++j) {
          add_pair<kOfQueries>(factors.at[i], own[i][j], Complex<Number>{o_re.at[j], o_im.at[j]},
                               sums[i][j]);
        }
      }
    }
  }
#pragma unroll
  for (unsigned i = 0; i < kSide; ++i) finish_pairs(totals[i], sums[i]);
  add_groups<kParts>(sums, at, o);
  if (at.group != 0) return;
  for (unsigned i = 0; i < kSide && at.row + i < row_count; ++i) {
    Number* const out = kOfQueries
                            ? row_of(a.by_query, queries.first + first_row + at.row + i, a.dim)
                            : a.by_negative + (first_negative + first_row + at.row + i) * a.dim;
    for (unsigned j = 0; j < kSide && first + at.column + j < half; ++j) {
      for (unsigned part = 0; part < kParts; ++part) {
        out[part * half + first + at.column + j] = sums[i][j][part];
      }
    }
  }
}

// Blocks of queries, then of negatives.
VECC_KG_FN void gradient_tiles(const Bound& a) {
  __shared__ __align__(32) Number c[kPlane];
  __shared__ __align__(32) Number o[kParts * kPlane];
  const Batch batch(a, a.state->now);
  const unsigned columns = whole_units(a.dim / kParts, kTile);
  const unsigned of_queries = a.most_chunks * columns * whole_units(a.chunk, kTile);
  if (blockIdx.x < of_queries) {
    gradient_tile<true>(a, batch, blockIdx.x, c, o);
  } else {
    gradient_tile<false>(a, batch, blockIdx.x - of_queries, c, o);
  }
}

}  // namespace vecc_kernel
