// Derivatives by queries and negatives, from those by the sums of their pairs.
namespace vecc_kernel {

// A block: those by kTile numbers of kTile rows, queries of a chunk or its negatives, as sums over
// all of the other side.
// Of planes (transh) those by u and, added, by negatives, from those by u.e.
template <bool kOfQueries, bool kOfPlanes>
struct GradientTile {
  static constexpr TileKind kOf = kOfPlanes ? TileKind::Projection : kKind;
  // On its way to shared memory.
  struct Stage {
    Fetched others;
    Number c[kSide];
  };
  using Own = Complex<Number>[kSide][kSide];
  using Sums = Number[kSide][kSide][kParts];

  const Bound& a;
  unsigned columns;
  unsigned rows;
  unsigned chunk;
  ChunkQueries queries;
  unsigned all_rows;
  unsigned others;
  unsigned first_row;
  unsigned first;  // number
  unsigned half;

  __device__ __forceinline__ GradientTile(const Bound& bound, const Batch& batch, unsigned block)
      : a(bound),
        columns(whole_units(a.width / kParts, kTile)),
        rows(whole_units(kOfQueries ? a.chunk : a.negative_count, kTile)),
        chunk(block / (columns * rows)),
        queries(a, batch, chunk),
        all_rows(kOfQueries ? queries.count : a.negative_count),
        others(kOfQueries ? a.negative_count : queries.count),
        first_row(block / columns % rows * kTile),
        first(block % columns * kTile),
        half(a.width / kParts) {}
  __device__ __forceinline__ bool is_empty() const {
    return first_row >= all_rows || queries.count == 0;
  }
  __device__ __forceinline__ unsigned row_count() const {
    return smaller(kTile, all_rows - first_row);
  }
  __device__ __forceinline__ unsigned long long first_negative() const {
    return static_cast<unsigned long long>(chunk) * a.negative_count;
  }
  // A row of the own side, or of the other.
  template <bool kIsQuery>
  __device__ __forceinline__ const Number* row(unsigned i) const {
    if constexpr (kIsQuery) {
      return row_of(kOfPlanes ? a.normals : a.queries, queries.first + i, a.width);
    }
    return negative_row(a, first_negative() + i);
  }

  __device__ __forceinline__ void read_own(const TilePlace& at, Own& own) const {
#pragma unroll
    for (unsigned i = 0; i < kSide; ++i) {
#pragma unroll
      for (unsigned j = 0; j < kSide; ++j) {
        const unsigned k = first + at.column + j;
        own[i][j] = {Number(0), Number(0)};
        if (first_row + at.row + i >= all_rows || k >= half) continue;
        const Number* const from = row<kOfQueries>(first_row + at.row + i);
        own[i][j] = {from[k], kPairs ? from[half + k] : Number(0)};
      }
    }
  }
  // Others from `begin` on. Negatives lie side by side among the derivatives by sums.
  __device__ __forceinline__ void fetch(unsigned begin, Stage& stage) const {
    const unsigned count = begin < others ? smaller(kTile, others - begin) : 0;
#pragma unroll
    for (unsigned n = 0; n < kSide; ++n) {
      const unsigned line = Fetched::line() + n;
      const unsigned other = kOfQueries ? Fetched::lane() : line;
      const unsigned own = kOfQueries ? line : Fetched::lane();
      const unsigned i = queries.first + (kOfQueries ? first_row + own : begin + other);
      const unsigned j = kOfQueries ? begin + other : first_row + own;
      stage.c[n] =
          other < count && own < row_count()
              ? (kOfPlanes ? a.along
                           : a.scores)[static_cast<unsigned long long>(i) * a.negative_count + j]
              : Number(0);
    }
    stage.others.fetch([&](unsigned i) { return row<!kOfQueries>(begin + i); }, first, count,
                       a.width);
  }
  // c: by other and own row; o: others by number.
  static __device__ __forceinline__ void put(const Stage& stage, Number* c, Number* o) {
    if constexpr (kOfQueries) Fetched::put_column(stage.c, c);
#pragma unroll
    for (unsigned n = 0; n < kSide; ++n) {
      if (!kOfQueries) c[(Fetched::line() + n) * kPadded + Fetched::lane()] = stage.c[n];
    }
    stage.others.template put<false>(o);
  }
  // The group's part of a stage.
  static __device__ __forceinline__ void add(const TilePlace& at, const Number* c, const Number* o,
                                             const Own& own, Sums& sums, Number (&totals)[kSide]) {
#pragma unroll
    for (unsigned n = 0; n < kOfGroup; ++n) {
      const unsigned other = (at.group * kOfGroup + n) * kPadded;
      const Four factors = four_of(c + other + at.row);
      const Four o_re = four_of(o + other + at.column);
      const Four o_im = kPairs ? four_of(o + (kParts - 1) * kPlane + other + at.column) : o_re;
#pragma unroll
      for (unsigned i = 0; i < kSide; ++i) {
        if constexpr (kOf == TileKind::L1) totals[i] += factors.at[i];
#pragma unroll
        for (unsigned j = 0; j < kSide; ++j) {
          add_pair<kOf>(factors.at[i], own[i][j], Complex<Number>{o_re.at[j], o_im.at[j]},
                        sums[i][j]);
        }
      }
    }
  }
  __device__ __forceinline__ void write(const TilePlace& at, const Sums& sums) const {
    for (unsigned i = 0; i < kSide && at.row + i < row_count(); ++i) {
      const unsigned own = first_row + at.row + i;
      Number* const out =
          kOfQueries ? row_of(kOfPlanes ? a.by_normal : a.by_query, queries.first + own, a.width)
                     : a.by_negative + (first_negative() + own) * a.width;
      for (unsigned j = 0; j < kSide && first + at.column + j < half; ++j) {
        for (unsigned part = 0; part < kParts; ++part) {
          Number& to = out[part * half + first + at.column + j];
          to = kOfPlanes && !kOfQueries ? to + sums[i][j][part] : sums[i][j][part];
        }
      }
    }
  }

  __device__ __forceinline__ void run(Number* c, Number* o) const {
    const TilePlace at;
    Own own;
    if constexpr (is_of_difference(kOf)) read_own(at, own);
    Sums sums = {};
    Number totals[kSide] = {};
    Stage next;
    fetch(0, next);
    for (unsigned begin = 0; begin < others; begin += kTile) {
      __syncthreads();
      put(next, c, o);
      __syncthreads();
      fetch(begin + kTile, next);
      add(at, c, o, own, sums, totals);
    }
#pragma unroll
    for (unsigned i = 0; i < kSide; ++i) finish_pairs<kOf>(totals[i], sums[i]);
    add_groups<kParts>(sums, at, o);
    if (at.group == 0) write(at, sums);
  }
};

// Blocks of queries, then of negatives.
template <bool kOfPlanes>
VECC_KG_FN void gradient_tiles(const Bound& a) {
  __shared__ __align__(32) Number c[kPlane];
  __shared__ __align__(32) Number o[kParts * kPlane];
  const Batch batch(a, a.state->now);
  const unsigned columns = whole_units(a.width / kParts, kTile);
  const unsigned of_queries = a.most_chunks * columns * whole_units(a.chunk, kTile);
  if (blockIdx.x < of_queries) {
    const GradientTile<true, kOfPlanes> tile(a, batch, blockIdx.x);
    if (!tile.is_empty()) tile.run(c, o);
  } else {
    const GradientTile<false, kOfPlanes> tile(a, batch, blockIdx.x - of_queries);
    if (!tile.is_empty()) tile.run(c, o);
  }
}

}  // namespace vecc_kernel
