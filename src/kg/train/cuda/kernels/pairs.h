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
VECC_KG_FN Number add_score_term(Complex<Number> q, Complex<Number> e, Number sum) {
  if constexpr (kKind == TileKind::Product) return multiply_add(q.re, e.re, sum);
  if constexpr (kKind == TileKind::L2 || kKind == TileKind::SquaredL2) {
    return multiply_add(q.re - e.re, q.re - e.re, sum);
  }
  return sum + score_term<kKind>(q, e);
}
// Adds the derivative by `own` of a pair, a query and a negative.
template <bool kOfQueries>
VECC_KG_FN void add_pair(Number c, Complex<Number> own, Complex<Number> other,
                         Number (&sum)[kParts]) {
  if constexpr (kKind == TileKind::Product) {
    sum[0] = multiply_add(c, other.re, sum[0]);
  } else {
    const Complex<Number> by =
        kOfQueries ? by_query_number<kKind>(c, own, other) : by_answer_number<kKind>(c, other, own);
    sum[0] += by.re;
    if constexpr (kPairs) sum[kParts - 1] += by.im;
  }
}

// A thread's place in its group: of the pairs' rows and columns the first.
struct TilePlace {
  unsigned group = threadIdx.x / kGroupThreads;
  unsigned row = threadIdx.x % kGroupThreads / (kTile / kSide) * kSide;
  unsigned column = threadIdx.x % (kTile / kSide) * kSide;
};

// Numbers first .. first + kTile - 1 of some rows, into planes [part][..][..]: by number and row,
// or by row and number. row(i): row i's address, null where there is none. What is not there is 0.
template <bool kByNumber, class Row>
VECC_KG_FN void load_numbers(const Row& row, unsigned first, unsigned count, unsigned dim,
                             Number* to) {
  const unsigned half = kPairs ? dim / 2 : dim;
  for (unsigned t = threadIdx.x; t < kTile * kTile; t += kPairThreads) {
    const unsigned i = t / kTile;
    const unsigned k = t % kTile;
    const Number* const from = i < count ? row(i) : nullptr;
    const bool is_there = from != nullptr && first + k < half;
    const unsigned place = kByNumber ? k * kPadded + i : i * kPadded + k;
    for (unsigned part = 0; part < kParts; ++part) {
      to[part * kPlane + place] = is_there ? from[part * half + first + k] : Number(0);
    }
  }
}

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
  for (unsigned first = 0; first < a.dim / kParts; first += kTile) {
    __syncthreads();
    load_numbers<true>([&](unsigned i) { return row_of(first_query, i, a.dim); }, first, row_count,
                       a.dim, q);
    load_numbers<true>([&](unsigned i) { return entity(a, negatives[i]); }, first, column_count,
                       a.dim, e);
    __syncthreads();
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
  for (unsigned begin = 0; begin < others; begin += kTile) {
    const unsigned count = smaller(kTile, others - begin);
    __syncthreads();
    for (unsigned t = threadIdx.x; t < kTile * kTile; t += kPairThreads) {
      // Negatives lie side by side.
      const unsigned other = kOfQueries ? t % kTile : t / kTile;
      const unsigned row = kOfQueries ? t / kTile : t % kTile;
      const unsigned q = kOfQueries ? first_row + row : begin + other;
      const unsigned n = kOfQueries ? begin + other : first_row + row;
      c[other * kPadded + row] =
          other < count && row < row_count
              ? scores[static_cast<unsigned long long>(q) * a.negative_count + n]
              : Number(0);
    }
    if (kOfQueries) {
      load_numbers<false>([&](unsigned i) { return negative(begin + i); }, first, count, a.dim, o);
    } else {
      load_numbers<false>([&](unsigned i) { return query(begin + i); }, first, count, a.dim, o);
    }
    __syncthreads();
#pragma unroll
    for (unsigned n = 0; n < kOfGroup; ++n) {
      const unsigned other = (at.group * kOfGroup + n) * kPadded;
      const Four factors = four_of(c + other + at.row);
      const Four o_re = four_of(o + other + at.column);
      const Four o_im = kPairs ? four_of(o + (kParts - 1) * kPlane + other + at.column) : o_re;
#pragma unroll
      for (unsigned i = 0; i < kSide; ++i) {
#pragma unroll
        for (unsigned j = 0; j < kSide; ++j) {
          add_pair<kOfQueries>(factors.at[i], own[i][j], Complex<Number>{o_re.at[j], o_im.at[j]},
                               sums[i][j]);
        }
      }
    }
  }
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
  if (a.state->failed != 0) return;
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
