// Scores that are sums of products, or a plane's u.e (transh): a chunk's queries times its
// negatives, by tensor cores.
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
  using Tile = PairTile<kScoreSide>;
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
    const unsigned row = first_row + Tile::first_row() + Lines::line(i);
    const unsigned column = first_column + Tile::first_column() + Lines::line(i);
    of_rows[i] = row < pairs.queries.count ? pairs.query(row) : nullptr;
    of_columns[i] = column < a.negative_count ? pairs.negative(column) : nullptr;
  }
  Tile tile;
  tile.add_all(a.width, [&](unsigned first, Lines& to_rows, Lines& to_columns) {
    const unsigned k = first + Lines::first_term();
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

}  // namespace vecc_kernel
#endif
