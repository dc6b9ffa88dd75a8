// rescal, transr: the derivative by a relation's matrix as a sum of products of two vectors, and
// the matrix moved by it: of h.Mt the derivative is h t^T, added up over the relation's queries;
// transr has terms of its own.
#if VECC_KG_HAS_MATRICES
namespace vecc_kernel {

// A vector of a term, with what its numbers are times. Null: 0.
struct TermVector {
  const Number* from;
  Number factor;
  unsigned part;  // where dropout leaves out numbers: of the entity that it is; else kNoPart
};
constexpr unsigned kNoPart = ~0u;

// The queries of a relation: sorted keys begin .. end - 1.
struct RelationTerms {
  const Bound& a;
  Batch batch;
  unsigned relation = 0;
  unsigned begin = 0;
  unsigned end = 0;
  unsigned first_group = 0;  // transr
  unsigned count = 0;

  __device__ __forceinline__ explicit RelationTerms(const Bound& bound)
      : a(bound), batch(a, a.state->now) {}
  // Of relation `number` of the step; with kMovesAll of all. Whether it is there.
  __device__ __forceinline__ bool find(unsigned number) {
    const Key* const keys = a.relation_keys.sorted;
    if constexpr (kMovesAll) {
      relation = number;
      begin = lower_bound(keys, 0, batch.queries, key_of(relation));
      end = lower_bound(keys, begin, batch.queries, key_of(relation) | ~0u);
    } else {
      if (number >= a.segments[0]) return false;
      begin = a.segments[1 + number];
      end = number + 1 < a.segments[0] ? a.segments[2 + number] : batch.queries;
      relation = static_cast<unsigned>(keys[begin] >> 32);
    }
    count = end - begin;
    if constexpr (kHasSpaces) {  // three of each query, and of each group its negatives
      unsigned end_group = a.groups[0];
      if constexpr (kMovesAll) {
        first_group = group_at(begin);
        end_group = group_at(end);
      } else {
        first_group = a.segment_groups[number];
        if (number + 1 < a.segments[0]) end_group = a.segment_groups[number + 1];
      }
      count = of_queries() + (end_group - first_group) * a.negative_count;
    }
    return true;
  }
  // The first group that begins at a place of the sorted keys or behind it.
  __device__ __forceinline__ unsigned group_at(unsigned place) const {
    unsigned from = 0;
    unsigned to = a.groups[0];
    while (from < to) {
      const unsigned middle = from + (to - from) / 2;
      if (a.groups[1 + middle] < place) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }
  __device__ __forceinline__ unsigned of_queries() const { return 3 * (end - begin); }
  __device__ __forceinline__ unsigned query_at(unsigned place) const {
    return static_cast<unsigned>(a.relation_keys.sorted[begin + place]);
  }
  __device__ __forceinline__ TermVector vector_of(const Number* rows, unsigned row) const {
    return {row_of(rows, row, a.dim), Number(1), kNoPart};
  }
  __device__ __forceinline__ TermVector anchor_of(unsigned query) const {
    return {entity(a, a.query_rows[query].anchor), Number(1), query};
  }
  // Of term `place` what is by row.
  __device__ __forceinline__ TermVector by_row(unsigned place) const {
    if (place >= count) return {nullptr, Number(0), kNoPart};
    if constexpr (kHasSpaces) {
      if (place < of_queries()) {
        const unsigned query = query_at(place / 3);
        const unsigned kind = place % 3;
        TermVector x = vector_of(kind == 0   ? a.images
                                 : kind == 1 ? a.by_image
                                             : a.differences,
                                 query);
        x.factor = kind == 0 ? Number(2) : kind == 1 ? Number(1) : Number(-1);
        return x;
      }
      const unsigned long long image = image_at(place);
      return {a.negative_images + image * a.dim, a.norms[image], kNoPart};
    } else {
      const unsigned query = query_at(place);
      return query < batch.tails ? anchor_of(query) : vector_of(a.by_query, query);
    }
  }
  // And by column.
  __device__ __forceinline__ TermVector by_column(unsigned place) const {
    if (place >= count) return {nullptr, Number(0), kNoPart};
    if constexpr (kHasSpaces) {
      if (place < of_queries()) {
        const unsigned query = query_at(place / 3);
        if (place % 3 == 0) return vector_of(a.by_query, query);
        if (place % 3 == 1) return anchor_of(query);
        return {entity(a, a.query_rows[query].answer), Number(1), batch.queries + query};
      }
      return vector_of(negative_rows(a), a.image_rows[image_at(place)]);
    } else {
      const unsigned query = query_at(place);
      return query < batch.tails ? vector_of(a.by_query, query) : anchor_of(query);
    }
  }
  __device__ __forceinline__ unsigned long long image_at(unsigned place) const {
    return static_cast<unsigned long long>(first_group) * a.negative_count + (place - of_queries());
  }
};

// Numbers first .. first + 3 of a vector. Only what is by row has factors.
template <bool kByRow>
VECC_KG_FN Four read_vector(const Bound& a, const TermVector& x, unsigned first) {
  if (x.from == nullptr) return Four{};
  Four four = read_four(x.from + first, behind(first, a.dim));
#pragma unroll
  for (unsigned n = 0; n < 4; ++n) {
    if (kByRow && kHasSpaces) four.at[n] *= x.factor;
    if (kDropsEntities && x.part != kNoPart && first + n < a.dim) {
      four.at[n] *= entity_keep(a, a.state->now, x.part, first + n);
    }
  }
  return four;
}

// Where the terms of two stages lie. A thread finds a term's, two stages before it is fetched:
// memory's time passes while stages are added.
struct StageTerms {
  TermVector rows[2][kDepth];
  TermVector columns[2][kDepth];
};

// A part of a relation's matrix: kMatrixRows rows, kWideColumns columns.
struct MatrixTile {
  using Tile = WideTile<kMatrixRows / 8>;
  using Rows = TermStage<kMatrixRows>;
  using Columns = TermStage<kWideColumns>;

  const RelationTerms& terms;
  unsigned first_row;
  unsigned first_column;
  TermVector next_row;  // of the stage behind the one that is fetched
  TermVector next_column;

  __device__ __forceinline__ MatrixTile(const RelationTerms& of, unsigned row, unsigned column)
      : terms(of), first_row(row), first_column(column) {}

  __device__ __forceinline__ void find(unsigned stage) {
    if (threadIdx.x >= kDepth) return;
    next_row = terms.by_row(stage * kDepth + threadIdx.x);
    next_column = terms.by_column(stage * kDepth + threadIdx.x);
  }
  __device__ __forceinline__ void put(unsigned stage, StageTerms& to) const {
    if (threadIdx.x >= kDepth) return;
    to.rows[stage % 2][threadIdx.x] = next_row;
    to.columns[stage % 2][threadIdx.x] = next_column;
  }
  __device__ __forceinline__ void add_terms(Tile& tile, Number* space, StageTerms& places) {
    const Bound& a = terms.a;
    Rows rows;
    Columns columns;
    find(0);
    put(0, places);
    find(1);
    tile.template add_stages<kDropsRelations ? 1 : 8>(
        rows, columns, whole_units(terms.count, kDepth), a.dim - first_column, space,
        [&](unsigned stage, Rows& to_rows, Columns& to_columns) {
          to_rows.fetch([&](unsigned, unsigned term, unsigned lane) {
            return read_vector<true>(a, places.rows[stage % 2][term], first_row + lane);
          });
          to_columns.fetch([&](unsigned, unsigned term, unsigned lane) {
            return read_vector<false>(a, places.columns[stage % 2][term], first_column + lane);
          });
          put(stage + 1, places);
          find(stage + 2);
        },
        [&](unsigned stage) { return smaller(kDepth, terms.count - stage * kDepth); },
        [&](unsigned term, unsigned i, unsigned k, Number x) {
          if (!kDropsRelations) return x;
          return drop_matrix(a, a.state->now, terms.query_at(term), first_row + i, first_column + k,
                             x);
        });
  }

  // Numbers side by side of a row of the part, with what the optimizer keeps of them.
  struct Piece {
    Four w;
    Four states[2];
  };
  __device__ __forceinline__ unsigned long long place_of(unsigned i, unsigned j) const {
    const Bound& a = terms.a;
    const unsigned long long matrix =
        terms.relation * width_of_relation(a) + (kHasSpaces ? a.dim : 0);
    return matrix + static_cast<unsigned long long>(first_row + Tile::row(i)) * a.dim +
           first_column + Tile::column(j);
  }
  // Of the four numbers from (i, j) on those that are there.
  __device__ __forceinline__ unsigned count_of(unsigned i, unsigned j) const {
    const Bound& a = terms.a;
    return first_row + Tile::row(i) < a.dim ? behind(first_column + Tile::column(j), a.dim) : 0;
  }
  __device__ __forceinline__ void read_row(unsigned i, Piece (&pieces)[2]) const {
    const Bound& a = terms.a;
#pragma unroll
    for (unsigned half = 0; half < 2; ++half) {
      const unsigned count = count_of(i, 4 * half);
      if (count == 0) continue;
      const unsigned long long place = place_of(i, 4 * half);
      pieces[half].w = read_four(a.relations + place, count);
      if constexpr (kOptimizer != RowOptimizer::Sgd) {
        pieces[half].states[0] = read_four(a.relation_states[0] + place, count);
      }
      if constexpr (kOptimizer == RowOptimizer::Adam) {
        pieces[half].states[1] = read_four(a.relation_states[1] + place, count);
      }
    }
  }
  __device__ __forceinline__ Number gradient(Number sum, Number w) const {
    if constexpr (!kRegularizes) return sum;
    return sum + static_cast<Number>(terms.end - terms.begin) *
                     (penalty_factor(terms.a, terms.batch.queries, w * w) * w);
  }
  __device__ __forceinline__ void move_row(const RowRates<Number>& rates, unsigned i,
                                           const Number (&sums)[8], Piece (&pieces)[2]) const {
    const Bound& a = terms.a;
#pragma unroll
    for (unsigned half = 0; half < 2; ++half) {
      const unsigned count = count_of(i, 4 * half);
      if (count == 0) continue;
      Piece& piece = pieces[half];
#pragma unroll
      for (unsigned n = 0; n < 4; ++n) {
        move_number<kOptimizer>(rates, gradient(sums[4 * half + n], piece.w.at[n]), piece.w.at[n],
                                piece.states[0].at[n], piece.states[1].at[n]);
      }
      const unsigned long long place = place_of(i, 4 * half);
      write_four(a.relations + place, count, piece.w);
      if constexpr (kOptimizer != RowOptimizer::Sgd) {
        write_four(a.relation_states[0] + place, count, piece.states[0]);
      }
      if constexpr (kOptimizer == RowOptimizer::Adam) {
        write_four(a.relation_states[1] + place, count, piece.states[1]);
      }
    }
  }

  // To the L2 cache, while the derivative is computed.
  __device__ __forceinline__ void prefetch() const {
#if __CUDA_ARCH__ >= 700
    const Bound& a = terms.a;
    constexpr unsigned kLine = 128 / sizeof(Number);
    constexpr unsigned kLines = kWideColumns / kLine;
    const unsigned long long matrix =
        terms.relation * width_of_relation(a) + (kHasSpaces ? a.dim : 0);
    for (unsigned t = threadIdx.x; t < kMatrixRows * kLines; t += kPairThreads) {
      const unsigned row = first_row + t / kLines;
      const unsigned column = first_column + t % kLines * kLine;
      if (row >= a.dim || column >= a.dim) continue;
      const unsigned long long place =
          matrix + static_cast<unsigned long long>(row) * a.dim + column;
      asm volatile("prefetch.global.L2 [%0];" ::"l"(a.relations + place));
      if (kOptimizer == RowOptimizer::Sgd) continue;
      asm volatile("prefetch.global.L2 [%0];" ::"l"(a.relation_states[0] + place));
      if (kOptimizer != RowOptimizer::Adam) continue;
      asm volatile("prefetch.global.L2 [%0];" ::"l"(a.relation_states[1] + place));
    }
#endif
  }

  // A row of the matrix is read before the one before it is written, so that memory's time passes
  // once.
  __device__ __forceinline__ void run(Number* space, StageTerms& places) {
    Tile tile;
    prefetch();
    add_terms(tile, space, places);
    const RowRates<Number> rates = rates_of(terms.a);
    Piece now[2] = {};
    Piece next[2] = {};
    read_row(0, now);
#pragma unroll
    for (unsigned i = 0; i < kMatrixRows / 8; ++i) {
      if (i + 1 < kMatrixRows / 8) read_row(i + 1, next);
      move_row(rates, i, tile.sums[i], now);
      now[0] = next[0];
      now[1] = next[1];
    }
  }
};

// A block: a relation, a part of its matrix.
VECC_KG_FN void move_matrices(const Bound& a) {
  __shared__ __align__(32) Number space[MatrixTile::Tile::kSpace];
  __shared__ StageTerms places;
  if (a.state->failed != 0) return;
  const unsigned rows = whole_units(a.dim, kMatrixRows);
  const unsigned columns = whole_units(a.dim, kWideColumns);
  RelationTerms terms(a);
  if (!terms.find(blockIdx.x / (rows * columns))) return;
  MatrixTile tile(terms, blockIdx.x / columns % rows * kMatrixRows,
                  blockIdx.x % columns * kWideColumns);
  tile.run(space, places);
}

}  // namespace vecc_kernel
#endif
