// How many entities score above an item's own, and how many as high. Scores of a tile are counted
// where they were computed, and known answers left out there: no score is stored but of a user's
// pairs.
namespace vecc_kernel {

// By row of a tile, which columns are known answers: bits.
struct KnownColumns {
  static constexpr unsigned kWords = kTile / 32;

  // A thread a row, of a query that is there.
  static __device__ __forceinline__ void find(const Bound& a, unsigned query, unsigned first_column,
                                              unsigned* row) {
    for (unsigned word = 0; word < kWords; ++word) row[word] = 0;
    unsigned long long from = a.first_known[query];
    unsigned long long to = a.first_known[query + 1];
    const unsigned long long end = to;
    while (from < to) {
      const unsigned long long middle = from + (to - from) / 2;
      if (a.known[middle] < first_column) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    for (; from < end; ++from) {
      const unsigned column = a.known[from] - first_column;
      if (column >= kTile) break;
      row[column / 32] |= 1u << column % 32;
    }
  }
};

// A tile: queries of the block and entities of the block, kTile of either.
struct CountTile {
  static constexpr unsigned kRows = kSpace / kPadded;  // whose scores are in shared memory at once

  const Bound& a;
  unsigned first_row;     // query of the block
  unsigned first_column;  // entity of the block
  unsigned row_count;
  unsigned column_count;

  __device__ __forceinline__ explicit CountTile(const Bound& bound) : a(bound) {
    const unsigned columns = whole_units(a.entity_count, kTile);
    first_row = blockIdx.x / columns * kTile;
    first_column = blockIdx.x % columns * kTile;
    row_count = smaller(kTile, a.query_count - first_row);
    column_count = smaller(kTile, a.entity_count - first_column);
  }

  __device__ __forceinline__ void find_known(unsigned* known) const {
    if (threadIdx.x >= row_count) return;
    KnownColumns::find(a, a.first_query + first_row + threadIdx.x, a.first_entity + first_column,
                       known + threadIdx.x * KnownColumns::kWords);
  }

  // Counts of a warp's lanes for one score, as four bytes: above, equal, and both of open ones.
  __device__ __forceinline__ unsigned count(const Number* scores, const unsigned* known, Number own,
                                            unsigned own_column) const {
    const unsigned lane = threadIdx.x % 32;
    unsigned counts = 0;
#pragma unroll
    for (unsigned word = 0; word < KnownColumns::kWords; ++word) {
      const unsigned column = word * 32 + lane;
      if (column >= column_count) continue;
      const Number score = scores[column];
      const unsigned one = score > own ? 1u : score == own ? 1u << 8 : 0u;
      const bool is_open = (known[word] >> lane & 1) == 0 && column != own_column;
      counts += is_open ? one * 0x10001u : one;
    }
    for (unsigned step = 16; step > 0; step /= 2) {
      counts += __shfl_xor_sync(~0u, counts, static_cast<int>(step));
    }
    return counts;
  }

  // Items of rows `row` .. row + kRows - 1, whose scores lie in `scores`, one after another: a warp
  // an item, whose lanes keep 32 of them.
  __device__ __forceinline__ void count_rows(unsigned row, const Number* scores,
                                             const unsigned* known) const {
    if (row >= row_count) return;
    const unsigned first = a.first_query + first_row + row;
    const unsigned end = a.first_items[first + smaller(kRows, row_count - row)];
    constexpr unsigned kWarps = kRankThreads / 32;
    const unsigned warp = threadIdx.x / 32;
    const unsigned lane = threadIdx.x % 32;
    for (unsigned items = a.first_items[first] + warp; items < end; items += 32 * kWarps) {
      const unsigned item = items + lane * kWarps;
      const bool is_item = item < end;
      const unsigned own_row = is_item ? a.item_queries[item] - first : 0;
      const unsigned own_column =
          is_item ? a.item_entities[item] - a.first_entity - first_column : 0;
      const Number own = is_item ? a.own[item] : Number(0);
      unsigned counts = 0;
      for (unsigned n = 0; n < 32 && items + n * kWarps < end; ++n) {
        const int of = static_cast<int>(n);
        const unsigned at = __shfl_sync(~0u, own_row, of);
        const unsigned found =
            count(scores + at * kPadded, known + (row + at) * KnownColumns::kWords,
                  __shfl_sync(~0u, own, of), __shfl_sync(~0u, own_column, of));
        if (lane == n) counts = found;
      }
      if (is_item) add(a.places[item], counts);
    }
  }
  static __device__ __forceinline__ void add(RankPlace& place, unsigned counts) {
    unsigned* const to[] = {&place.above, &place.equal, &place.above_open, &place.equal_open};
#pragma unroll
    for (unsigned n = 0; n < 4; ++n) {
      const unsigned more = counts >> 8 * n & 0xFF;
      if (more > 0) atomicAdd(to[n], more);
    }
  }
};

#if !VECC_KG_IS_PAIRWISE
// A thread an item: its own score, if the block of entities has it.
VECC_KG_FN void score_items(const Bound& a) {
  const unsigned item = a.first_items[a.first_query] + blockIdx.x * kRankRowThreads + threadIdx.x;
  if (item >= a.first_items[a.first_query + a.query_count]) return;
  const unsigned entity = a.item_entities[item] - a.first_entity;
  if (entity >= a.entity_count) return;
  const unsigned query = a.item_queries[item] - a.first_query;
  const unsigned numbers = rank_padded(a.width);
  const Number* const q = a.queries + panel_place(query, numbers, 0);
  const Number* const e = a.projected + panel_place(entity, numbers, 0);
  Number sum = 0;
#pragma unroll 8
  for (unsigned k = 0; k < numbers; k += kParts) {
    const unsigned last = k + kParts - 1;
    sum = add_term<kKind>(Complex<Number>{q[k * kTile], q[last * kTile]},
                          Complex<Number>{e[k * kTile], e[last * kTile]}, sum);
  }
  a.own[item] = finish_score(sum, a.biases[query]);
}

// A block a tile.
VECC_KG_FN void count_tiles(const Bound& a) {
  __shared__ __align__(32) Number space[kSpace];
  __shared__ unsigned known[kTile * KnownColumns::kWords];
  const CountTile tile(a);
  tile.find_known(known);
  const unsigned numbers = rank_padded(a.width);
  const TilePlace at;
  Sums sums = {};
  add_panels(a.queries + panel_place(tile.first_row, numbers, 0),
             a.projected + panel_place(tile.first_column, numbers, 0), numbers, at, space, sums);
#pragma unroll
  for (unsigned first = 0; first < kTile; first += CountTile::kRows) {
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < kSide; ++i) {
      const unsigned row = at.row_at(i) - first;
      if (row >= CountTile::kRows || first + row >= tile.row_count) continue;
      const Number bias = a.biases[tile.first_row + first + row];
#pragma unroll
      for (unsigned j = 0; j < kSide; ++j) {
        space[row * kPadded + at.column_at(j)] = finish_score(sums[i][j], bias);
      }
    }
    __syncthreads();
    tile.count_rows(first, space, known);
  }
}
#else
VECC_KG_FN Number stored_score(const Bound& a, unsigned query, unsigned entity) {
  const Number score = a.scores[static_cast<unsigned long long>(query) * a.most_entities + entity];
  return score == score ? score : lowest(score);
}

// Likewise, of scores that the pairs' kernel has stored.
VECC_KG_FN void score_items(const Bound& a) {
  const unsigned item = a.first_items[a.first_query] + blockIdx.x * kRankRowThreads + threadIdx.x;
  if (item >= a.first_items[a.first_query + a.query_count]) return;
  const unsigned entity = a.item_entities[item] - a.first_entity;
  if (entity >= a.entity_count) return;
  a.own[item] = stored_score(a, a.item_queries[item] - a.first_query, entity);
}
VECC_KG_FN void count_tiles(const Bound& a) {
  __shared__ Number space[kSpace];
  __shared__ unsigned known[kTile * KnownColumns::kWords];
  const CountTile tile(a);
  tile.find_known(known);
  for (unsigned first = 0; first < tile.row_count; first += CountTile::kRows) {
    __syncthreads();
    for (unsigned t = threadIdx.x; t < CountTile::kRows * kTile; t += kRankThreads) {
      const unsigned row = first + t / kTile;
      const unsigned column = t % kTile;
      if (row >= tile.row_count || column >= tile.column_count) continue;
      space[t / kTile * kPadded + column] =
          stored_score(a, tile.first_row + row, tile.first_column + column);
    }
    __syncthreads();
    tile.count_rows(first, space, known);
  }
}
#endif

}  // namespace vecc_kernel
