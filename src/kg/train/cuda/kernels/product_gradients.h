// Derivatives of scores that are sums of products, or a plane's u.e (transh), by queries and by
// negatives: those by the scores times the chunk's negatives, or queries.
#if VECC_KG_HAS_PRODUCT_TILES && VECC_TENSOR_CORES
namespace vecc_kernel {

// Derivatives by kGroupRows queries of a chunk, or its negatives, kGroupBlockColumns numbers of
// them: sums over negatives begin .. end - 1, or over all queries. Of planes those by u and, added,
// by negatives, from those by u.e. A thread reads the last row or number where it has none: what
// comes of that is not written, and terms that are not there have derivatives of 0.
template <bool kOfQueries, bool kOfPlanes>
struct ProductGradient {
  using Tile = GroupTile<false>;
  // Of a stage: its first term, and which rows are the thread's.
  struct Place {
    unsigned first;
    unsigned rows[4];
  };
  struct Weights {};

  const ChunkPairs<kOfPlanes>& pairs;
  unsigned first_row;
  unsigned first_number;
  unsigned split;
  unsigned begin;
  unsigned end;
  const Number* terms[Tile::kHeld];  // the thread's numbers of the first row
  unsigned term_step;                // bytes
  const Number* scores[2];  // derivatives by them: of the thread's rows with the first term

  __device__ __forceinline__ ProductGradient(const ChunkPairs<kOfPlanes>& of, unsigned row,
                                             unsigned number, unsigned own_split,
                                             unsigned own_begin, unsigned own_end)
      : pairs(of),
        first_row(row),
        first_number(number),
        split(own_split),
        begin(own_begin),
        end(own_end) {
    const Bound& a = pairs.a;
    term_step = (kOfQueries ? negative_step(a) : a.width) * sizeof(Number);
    const Number* const rows = kOfQueries ? negative_rows(a) : pairs.query(0);
#pragma unroll
    for (unsigned i = 0; i < Tile::kHeld; ++i) {
      terms[i] = rows + smaller(number + Tile::column(i), a.width - 1);
    }
#pragma unroll
    for (unsigned i = 0; i < 2; ++i) {
      const unsigned own = smaller(row + Tile::row(i), row_count() - 1);
      scores[i] = kOfQueries ? pairs.scores(own) + begin : pairs.scores(begin) + own;
    }
  }
  __device__ __forceinline__ unsigned row_count() const {
    return kOfQueries ? pairs.queries.count : pairs.a.negative_count;
  }
  __device__ __forceinline__ void begin_stages(Place& place) const {
    place.first = 0;
    find(place);
  }
  __device__ __forceinline__ void advance(Place& place) const {
    place.first += kGroupTerms;
    find(place);
  }
  __device__ __forceinline__ void find(Place& place) const {
#pragma unroll
    for (unsigned n = 0; n < 4; ++n) {
      const unsigned at = smaller(begin + place.first + Tile::column_term(n), end - 1);
      place.rows[n] = kOfQueries ? negative_number(pairs.a, pairs.first_negative + at) : at;
    }
  }
  __device__ __forceinline__ void columns(const Place& place, Tile::Columns& to) const {
#pragma unroll
    for (unsigned i = 0; i < Tile::kHeld; ++i) {
#pragma unroll
      for (unsigned n = 0; n < 4; ++n) {
        to.fours[i].at[n] = *number_behind(terms[i], place.rows[n], term_step);
      }
    }
  }
  // Derivatives by scores.
  __device__ __forceinline__ void rows(const Place& place, Tile::Rows& to, Weights&) const {
    const unsigned at = place.first + Tile::row_term(0);
    const unsigned count = behind(at, end - begin);
    const unsigned step = pairs.a.negative_count * sizeof(Number);
#pragma unroll
    for (unsigned i = 0; i < 2; ++i) {
      if constexpr (kOfQueries) {
        to.fours[i] = read_four(scores[i] + at, count, pairs.in_fours);
      } else {
#pragma unroll
        for (unsigned n = 0; n < 4; ++n) {
          to.fours[i].at[n] = n < count ? *number_behind(scores[i], at + n, step) : Number(0);
        }
      }
    }
  }
  __device__ __forceinline__ Number weigh(Weights, unsigned, unsigned, Number x) const {
    return x;
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
    tile.add_all(whole_units(end - begin, kGroupTerms), space, *this);
    tile.each([&](unsigned own_row, unsigned column, const float* sums) {
      const unsigned row = first_row + own_row;
      const unsigned count = behind(first_number + column, pairs.a.width);
      if (row >= row_count() || count == 0) return;
      Number* const place = to(row) + first_number + column;
      Two two = {sums[0], sums[1]};
      if constexpr (kOfPlanes && !kOfQueries) {
        two.first += place[0];
        if (count > 1) two.second += place[1];
      }
      write_two(place, count, two);
    });
  }
};

// Blocks of queries, of which a.negative_splits share the negatives, then of negatives.
template <bool kOfPlanes>
VECC_KG_FN void product_gradients(const Bound& a) {
  __shared__ __align__(128) Number space[kGroupSpace];
  const unsigned columns = whole_units(a.width, kGroupBlockColumns);
  const unsigned splits = kOfPlanes ? 1 : a.negative_splits;
  const unsigned query_rows = whole_units(a.chunk, kGroupRows);
  const unsigned negative_rows = whole_units(a.negative_count, kGroupRows);
  const unsigned of_queries = a.most_chunks * query_rows * splits * columns;
  const unsigned first_number = blockIdx.x % columns * kGroupBlockColumns;
  if (blockIdx.x < of_queries) {
    const unsigned split = blockIdx.x / columns % splits;
    const unsigned tile = blockIdx.x / (columns * splits);
    const ChunkPairs<kOfPlanes> pairs(a, tile / query_rows);
    const unsigned own = kOfPlanes ? a.negative_count : a.split_negatives;
    const unsigned first_row = tile % query_rows * kGroupRows;
    if (first_row >= pairs.queries.count) return;
    const ProductGradient<true, kOfPlanes> gradient(pairs, first_row, first_number, split,
                                                    split * own,
                                                    smaller(a.negative_count, (split + 1) * own));
    gradient.run(space);
  } else {
    const unsigned tile = (blockIdx.x - of_queries) / columns;
    const ChunkPairs<kOfPlanes> pairs(a, tile / negative_rows);
    if (pairs.queries.count == 0) return;
    const ProductGradient<false, kOfPlanes> gradient(pairs, tile % negative_rows * kGroupRows,
                                                     first_number, 0, 0, pairs.queries.count);
    gradient.run(space);
  }
}

}  // namespace vecc_kernel
#endif
