// Scores of queries with the negatives of their chunk.
namespace vecc_kernel {

// The sums over all numbers of pairs of rows and columns, of which row(i) and column(i) are the
// addresses: whole in group 0. q, e: space.
template <TileKind kOf, class Row, class Column>
VECC_KG_FN void add_pair_sums(const Row& row, unsigned row_count, const Column& column,
                              unsigned column_count, unsigned dim, const TilePlace& at, Number* q,
                              Number* e, Number (&sums)[kSide][kSide][1]) {
  Fetched next_q;
  Fetched next_e;
  next_q.fetch(row, 0, row_count, dim);
  next_e.fetch(column, 0, column_count, dim);
  for (unsigned first = 0; first < dim / kParts; first += kTile) {
    __syncthreads();
    next_q.put<true>(q);
    next_e.put<true>(e);
    __syncthreads();
    next_q.fetch(row, first + kTile, row_count, dim);
    next_e.fetch(column, first + kTile, column_count, dim);
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
          sums[i][j][0] =
              add_score_term<kOf>(Complex<Number>{q_re.at[i], q_im.at[i]},
                                  Complex<Number>{e_re.at[j], e_im.at[j]}, sums[i][j][0]);
        }
      }
    }
  }
  add_groups<1>(sums, at, q);
}

// A block: kTile queries of a chunk with kTile negatives. Of planes (transh) u.e instead of scores.
template <bool kOfPlanes>
VECC_KG_FN void score_tile(const Bound& a) {
  constexpr TileKind kOf = kOfPlanes ? TileKind::Projection : kKind;
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
  const Number* const first_query =
      row_of(kOfPlanes ? a.normals : a.queries, queries.first + first_row, a.width);
  const unsigned long long first_negative =
      static_cast<unsigned long long>(chunk) * a.negative_count + first_column;
  const TilePlace at;
  Number sums[kSide][kSide][1] = {};
  const auto query = [&](unsigned i) { return row_of(first_query, i, a.width); };
  const auto negative = [&](unsigned i) { return negative_row(a, first_negative + i); };
  add_pair_sums<kOf>(query, row_count, negative, column_count, a.width, at, q, e, sums);
  if (at.group != 0) return;
  for (unsigned i = 0; i < kSide && at.row + i < row_count; ++i) {
    const unsigned query = queries.first + first_row + at.row + i;
    Number* const out = (kOfPlanes ? a.along : a.scores) +
                        static_cast<unsigned long long>(query) * a.negative_count + first_column;
    for (unsigned j = 0; j < kSide && at.column + j < column_count; ++j) {
      const Number score = score_of<kOf>(sums[i][j][0], a.biases[query]);
      out[at.column + j] = kOfPlanes || score == score ? score : no_negative();
    }
  }
}

}  // namespace vecc_kernel
