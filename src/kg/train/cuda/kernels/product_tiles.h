// Scores that are sums of products, or a plane's u.e (transh), and their derivatives: a chunk's
// queries times its negatives, by tensor cores.
#if VECC_KG_HAS_PRODUCT_TILES && VECC_TENSOR_CORES
namespace vecc_kernel {

// A chunk's pairs; of planes (transh) u is the query, u.e the score.
template <bool kOfPlanes>
struct ChunkPairs {
  const Bound& a;
  ChunkQueries queries;
  unsigned long long first_negative;
  bool in_fours;  // scores of a query

  __device__ __forceinline__ ChunkPairs(const Bound& bound, unsigned chunk)
      : a(bound),
        queries(bound, Batch(bound, bound.state->now), chunk),
        first_negative(static_cast<unsigned long long>(chunk) * bound.negative_count),
        in_fours(bound.negative_count % 4 == 0) {}
  __device__ __forceinline__ const Number* query(unsigned i) const {
    return row_of(kOfPlanes ? a.normals : a.queries, queries.first + i, a.width);
  }
  __device__ __forceinline__ const Number* negative(unsigned j) const {
    return negative_row(a, first_negative + j);
  }
  // A pair's product by multiply-adds: what is infinite is none of split numbers.
  __device__ __noinline__ Number multiply(unsigned i, unsigned j) const {
    Number sum = 0;
    for (unsigned k = 0; k < a.width; ++k) sum = multiply_add(query(i)[k], negative(j)[k], sum);
    return sum;
  }
  // Of query i with all negatives: scores, then the derivatives by them.
  __device__ __forceinline__ Number* scores(unsigned i) const {
    return row_of(kOfPlanes ? a.along : a.scores, queries.first + i, a.negative_count);
  }
};

// A block: kScoreSide queries of a chunk with kScoreSide negatives.
template <bool kOfPlanes>
VECC_KG_FN void score_products(const Bound& a) {
  using Line = Lines<true>;
  using Tile = PairTile<kScoreSide, Line, Line>;
  __shared__ __align__(32) Number space[Tile::kSpace];
  if (a.state->failed != 0) return;
  const unsigned columns = whole_units(a.negative_count, kScoreSide);
  const unsigned rows = whole_units(a.chunk, kScoreSide);
  const ChunkPairs<kOfPlanes> pairs(a, blockIdx.x / (columns * rows));
  const unsigned first_row = blockIdx.x / columns % rows * kScoreSide;
  const unsigned first_column = blockIdx.x % columns * kScoreSide;
  if (first_row >= pairs.queries.count) return;
  const Number* of_rows[4];
  const Number* of_columns[4];
#pragma unroll
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned row = first_row + Tile::first_row() + Line::line(i);
    const unsigned column = first_column + Tile::first_column() + Line::line(i);
    of_rows[i] = row < pairs.queries.count ? pairs.query(row) : nullptr;
    of_columns[i] = column < a.negative_count ? pairs.negative(column) : nullptr;
  }
  Tile tile;
  tile.add_all(a.width, [&](unsigned first, Line& to_rows, Line& to_columns) {
    const unsigned k = first + Line::term(0);
    const unsigned count = behind(k, a.width);
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      to_rows.fours[i] = read_four(of_rows[i] + k, of_rows[i] ? count : 0, kHasFours);
      to_columns.fours[i] = read_four(of_columns[i] + k, of_columns[i] ? count : 0, kHasFours);
    }
  });
  tile.gather(space);
  Tile::write_all(space, [&](unsigned row, unsigned column, Four four) {
    if (first_row + row >= pairs.queries.count) return;
    const Number bias = kOfPlanes ? Number(0) : a.biases[pairs.queries.first + first_row + row];
    const unsigned first = first_column + column;
#pragma unroll
    for (unsigned n = 0; n < 4; ++n) {
      if (!(four.at[n] == four.at[n]) && first + n < a.negative_count) {
        four.at[n] = pairs.multiply(first_row + row, first + n);
      }
      const Number score = four.at[n] + bias;
      four.at[n] = kOfPlanes || score == score ? score : no_negative();
    }
    write_four(pairs.scores(first_row + row) + first, behind(first, a.negative_count), four,
               pairs.in_fours);
  });
}

// Derivatives by kPairSide queries of a chunk, or its negatives, kPairSide numbers of them: sums
// over negatives begin .. end - 1, or over all queries. Of planes (transh) those by u and, added,
// by negatives, from those by u.e.
template <bool kOfQueries, bool kOfPlanes>
struct ProductGradient {
  using Rows = Lines<kOfQueries>;
  using Columns = Lines<false>;
  using Tile = PairTile<kPairSide, Rows, Columns>;

  const ChunkPairs<kOfPlanes>& pairs;
  unsigned first_row;
  unsigned first_number;
  unsigned split;
  unsigned begin;
  unsigned end;

  __device__ __forceinline__ unsigned row_count() const {
    return kOfQueries ? pairs.queries.count : pairs.a.negative_count;
  }
  // Derivatives by scores.
  __device__ __forceinline__ void fetch_rows(unsigned first, Rows& rows) const {
    const unsigned top = first_row + Tile::first_row();
#pragma unroll
    for (unsigned n = 0; n < 4; ++n) {
      if constexpr (kOfQueries) {
        const unsigned row = top + Rows::line(n);
        const unsigned at = begin + first + Rows::term(0);
        const unsigned count = row < row_count() ? behind(at, end) : 0;
        rows.fours[n] = read_four(pairs.scores(row) + at, count, pairs.in_fours);
      } else {
        const unsigned row = top + Rows::line(0);
        const unsigned at = begin + first + Rows::term(n);
        const unsigned count = at < end ? behind(row, row_count()) : 0;
        rows.fours[n] = read_four(pairs.scores(at) + row, count, pairs.in_fours);
      }
    }
  }
  __device__ __forceinline__ void fetch_columns(unsigned first, Columns& columns) const {
    const unsigned k = first_number + Tile::first_column() + Columns::line(0);
#pragma unroll
    for (unsigned n = 0; n < 4; ++n) {
      const unsigned at = begin + first + Columns::term(n);
      const Number* from = nullptr;
      if (at < end) from = (kOfQueries ? pairs.negative(at) : pairs.query(at)) + k;
      columns.fours[n] = read_four(from, from ? behind(k, pairs.a.width) : 0, kHasFours);
    }
  }
  __device__ __forceinline__ Number* to(unsigned row) const {
    const Bound& a = pairs.a;
    if constexpr (!kOfQueries) {
      return a.by_negative + (pairs.first_negative + row) * a.width;
    } else {
      const unsigned query = pairs.queries.first + row;
      if constexpr (kOfPlanes) return row_of(a.by_normal, query, a.width);
      return row_of(a.by_query, split * a.most_queries + query, a.width);
    }
  }
  __device__ __forceinline__ void run(Number* space) const {
    Tile tile;
    tile.add_all(end - begin, [&](unsigned first, Rows& rows, Columns& columns) {
      fetch_rows(first, rows);
      fetch_columns(first, columns);
    });
    tile.gather(space);
    Tile::write_all(space, [&](unsigned row, unsigned column, Four four) {
      if (first_row + row >= row_count()) return;
      const unsigned k = first_number + column;
      const unsigned count = behind(k, pairs.a.width);
      Number* const place = to(first_row + row) + k;
      if constexpr (kOfPlanes && !kOfQueries) {
        const Four before = read_four(place, count, kHasFours);
#pragma unroll
        for (unsigned n = 0; n < 4; ++n) four.at[n] += before.at[n];
      }
      write_four(place, count, four, kHasFours);
    });
  }
};

// Blocks of queries, of which a.negative_splits share the negatives, then of negatives.
template <bool kOfPlanes>
VECC_KG_FN void product_gradients(const Bound& a) {
  __shared__ __align__(32) Number space[PairTile<kPairSide, Lines<true>, Lines<false>>::kSpace];
  const unsigned columns = whole_units(a.width, kPairSide);
  const unsigned splits = kOfPlanes ? 1 : a.negative_splits;
  const unsigned query_rows = whole_units(a.chunk, kPairSide);
  const unsigned negative_rows = whole_units(a.negative_count, kPairSide);
  const unsigned of_queries = a.most_chunks * query_rows * splits * columns;
  const unsigned first_number = blockIdx.x % columns * kPairSide;
  if (blockIdx.x < of_queries) {
    const unsigned split = blockIdx.x / columns % splits;
    const unsigned tile = blockIdx.x / (columns * splits);
    const ChunkPairs<kOfPlanes> pairs(a, tile / query_rows);
    const unsigned own = kOfPlanes ? a.negative_count : a.split_negatives;
    const ProductGradient<true, kOfPlanes> gradient = {
        pairs,        tile % query_rows * kPairSide,
        first_number, split,
        split * own,  smaller(a.negative_count, (split + 1) * own)};
    if (gradient.first_row < pairs.queries.count) gradient.run(space);
  } else {
    const unsigned tile = (blockIdx.x - of_queries) / columns;
    const ChunkPairs<kOfPlanes> pairs(a, tile / negative_rows);
    const ProductGradient<false, kOfPlanes> gradient = {
        pairs, tile % negative_rows * kPairSide, first_number, 0, 0, pairs.queries.count};
    if (pairs.queries.count > 0) gradient.run(space);
  }
}

}  // namespace vecc_kernel
#endif
