// rescal, transr: products with the relations' matrices, of queries that are sorted by relation,
// and the matrices moved. A matrix is read once for each run of queries.
namespace vecc_kernel {

VECC_KG_FN const Number* matrix_of(const Bound& a, unsigned long long relation) {
  return a.relations + relation * width_of_relation(a) + (kHasSpaces ? a.dim : 0);
}

// What one block lists while it goes over sorted keys: places where something begins.
struct Beginnings {
  unsigned* list;  // their number, then they
  unsigned found;

  // Every thread of the block with its place; `of_warp`: kSideThreads / 32 numbers to work with.
  __device__ __forceinline__ void add(bool begins, unsigned place, unsigned* of_warp) {
    const unsigned lane = threadIdx.x % 32;
    const unsigned votes = __ballot_sync(~0u, begins);
    if (lane == 0) of_warp[threadIdx.x / 32] = static_cast<unsigned>(__popc(votes));
    __syncthreads();
    unsigned before = found + static_cast<unsigned>(__popc(votes & ((1u << lane) - 1)));
    for (unsigned w = 0; w < kSideThreads / 32; ++w) {
      if (w < threadIdx.x / 32) before += of_warp[w];
      found += of_warp[w];
    }
    if (begins) list[1 + before] = place;
    __syncthreads();
  }
};

// One block: where each relation's sorted keys begin, and each run: at most kProductRows queries of
// one relation and side.
VECC_KG_FN void find_segments(const Bound& a) {
  __shared__ unsigned of_warp[kSideThreads / 32];
  if (a.state->failed != 0) return;
  const Batch batch(a, a.state->now);
  const Key* const keys = a.relation_keys.sorted;
  Beginnings segments = {a.segments, 0};
  Beginnings runs = {a.runs, 0};
  Beginnings groups = {a.groups, 0};
  for (unsigned first = 0; first < batch.queries; first += kSideThreads) {
    const unsigned p = first + threadIdx.x;
    const bool is_key = p < batch.queries;
    const Key key = is_key ? keys[p] : 0;
    const Key before = is_key && p > 0 ? keys[p - 1] : ~static_cast<Key>(0);
    const bool is_other = key >> 32 != before >> 32;
    const bool turns =
        (static_cast<unsigned>(key) < batch.tails) != (static_cast<unsigned>(before) < batch.tails);
    segments.add(is_key && is_other, p, of_warp);
    if constexpr (kHasSpaces) {
      const bool moves_on =
          p == 0 || (is_key && batch.chunk_of(a, static_cast<unsigned>(key)) !=
                                   batch.chunk_of(a, static_cast<unsigned>(before)));
      groups.add(is_key && (is_other || moves_on), p, of_warp);
    }
    runs.add(is_key && (is_other || turns || p % kProductRows == 0), p, of_warp);
  }
  if (threadIdx.x != 0) return;
  a.segments[0] = segments.found;
  a.runs[0] = runs.found;
  if (kHasSpaces) a.groups[0] = groups.found;
}

// Number (i, k) of the matrix of a query's relation, times its factor of dropout.
VECC_KG_FN Number drop_matrix(const Bound& a, unsigned number, unsigned query, unsigned i,
                              unsigned k, Number x) {
  if constexpr (!kDropsRelations) return x;
  const unsigned long long dim = a.dim;
  return x * relation_keep(a, number, query, dim * dim, i * dim + k);
}

// Terms that a thread adds at once: fewer where each draws what dropout leaves out.
constexpr unsigned kUnrolled = kDropsRelations ? 1 : 8;

// A run's product with its relation's matrix, a thread a number of each vector that comes out.
struct Product {
  const Bound& a;
  unsigned number;  // batch
  const Number* matrix;
  bool transposed;     // then a thread has a column, else a row
  unsigned first_own;  // the block's first
  unsigned count;      // of the run
  const unsigned* parts;
  Number* vectors;  // space: [kProductRows][32]
  Number* tile;     // space: [kRowThreads][33]

  // kRows, at least `count`, are computed.
  template <unsigned kRows, class From, class To>
  __device__ __forceinline__ void compute(unsigned dim, const From& from, const To& to) const {
    Number sums[kRows] = {};
    const unsigned own = first_own + threadIdx.x;
    for (unsigned begin = 0; begin < dim; begin += 32) {
      const unsigned terms = smaller(32, dim - begin);
      __syncthreads();
      for (unsigned t = threadIdx.x; t < kRows * 32; t += kRowThreads) {
        const unsigned i = t / 32;
        const unsigned k = t % 32;
        vectors[t] = i < count && k < terms ? from(parts[i], begin + k) : Number(0);
      }
      if (!transposed) load_rows(dim, begin, terms);
      __syncthreads();
#pragma unroll kUnrolled
      for (unsigned k = 0; k < terms; ++k) {
        Number factor = 0;
        if (!transposed) factor = tile[threadIdx.x * 33 + k];
        if (transposed && own < dim) {
          factor = matrix[static_cast<unsigned long long>(begin + k) * dim + own];
        }
#pragma unroll
        for (unsigned i = 0; i < kRows; ++i) {
          Number own_factor = factor;
          if (kDropsRelations && i < count) {
            own_factor = drop_matrix(a, number, parts[i], transposed ? begin + k : own,
                                     transposed ? own : begin + k, factor);
          }
          sums[i] = multiply_add(own_factor, vectors[i * 32 + k], sums[i]);
        }
      }
    }
    if (own >= dim) return;
#pragma unroll
    for (unsigned i = 0; i < kRows; ++i) {
      if (i < count) to(parts[i], own, sums[i]);
    }
  }
  __device__ __forceinline__ void load_rows(unsigned dim, unsigned begin, unsigned terms) const {
    const unsigned k = threadIdx.x % 32;
#pragma unroll 8
    for (unsigned row = threadIdx.x / 32; row < kRowThreads; row += kRowThreads / 32) {
      const bool is_there = first_own + row < dim && k < terms;
      tile[row * 33 + k] =
          is_there ? matrix[static_cast<unsigned long long>(first_own + row) * dim + begin + k]
                   : Number(0);
    }
  }
};

// Of a query's entity, as the step reads it.
VECC_KG_FN Number anchor_number(const Bound& a, unsigned number, unsigned query, unsigned k) {
  const Number x = entity(a, a.query_rows[query].anchor)[k];
  if constexpr (!kDropsEntities) return x;
  return x * entity_keep(a, number, query, k);
}
// Of x - e, as the step reads them.
VECC_KG_FN Number difference_number(const Bound& a, const Batch& batch, unsigned number,
                                    unsigned query, unsigned k) {
  const Complex<Number> e = {entity(a, a.query_rows[query].answer)[k], Number(0)};
  return anchor_number(a, number, query, k) -
         drop_entity(a, number, batch.queries + query, k, e).re;
}

// A block: a run, kRowThreads numbers of what comes out. is_transposed(tail): whether the side's
// queries are multiplied with the transpose; from(query, k): number k of what is multiplied;
// to(query, k, sum) takes what comes out.
template <class IsTransposed, class From, class To>
VECC_KG_FN void multiply_runs(const Bound& a, const Batch& batch, unsigned number,
                              const IsTransposed& is_transposed, const From& from, const To& to) {
  __shared__ Number vectors[kProductRows * 32];
  __shared__ Number tile[kRowThreads * 33];
  __shared__ unsigned parts[kProductRows];
  const unsigned columns = whole_units(a.dim, kRowThreads);
  const unsigned run = blockIdx.x / columns;
  if (run >= a.runs[0]) return;
  const unsigned first = a.runs[1 + run];
  const unsigned end = run + 1 < a.runs[0] ? a.runs[2 + run] : batch.queries;
  if (threadIdx.x < end - first) {
    parts[threadIdx.x] = static_cast<unsigned>(a.relation_keys.sorted[first + threadIdx.x]);
  }
  __syncthreads();
  const Product product = {a,
                           number,
                           matrix_of(a, a.relation_keys.sorted[first] >> 32),
                           is_transposed(parts[0] < batch.tails),
                           blockIdx.x % columns * kRowThreads,
                           end - first,
                           parts,
                           vectors,
                           tile};
  if (product.count <= 4) {
    product.compute<4>(a.dim, from, to);
  } else if (product.count <= 8) {
    product.compute<8>(a.dim, from, to);
  } else {
    product.compute<kProductRows>(a.dim, from, to);
  }
}

// rescal. Forward: queries of their entities; else what their derivatives pass on to those.
template <bool kForward>
VECC_KG_FN void multiply_matrices(const Bound& a) {
  const unsigned number = a.state->now;
  const Batch batch(a, number);
  multiply_runs(
      a, batch, number, [](bool tail) { return kForward == tail; },
      [&](unsigned query, unsigned k) {
        if (!kForward) return row_of(a.by_query, query, a.dim)[k];
        return anchor_number(a, number, query, k);
      },
      [&](unsigned query, unsigned k, Number sum) {
        row_of(kForward ? a.queries : a.by_anchor, query, a.dim)[k] = sum;
      });
}

// Queries of one relation and chunk, side by side among the sorted keys.
struct Group {
  unsigned begin;
  unsigned end;
  unsigned chunk;
  unsigned relation;

  __device__ __forceinline__ Group(const Bound& a, const Batch& batch, unsigned number) {
    begin = a.groups[1 + number];
    end = number + 1 < a.groups[0] ? a.groups[2 + number] : batch.queries;
    const Key key = a.relation_keys.sorted[begin];
    relation = static_cast<unsigned>(key >> 32);
    chunk = batch.chunk_of(a, static_cast<unsigned>(key));
  }
};

// kMatrixTile rows and columns of a relation's matrix, kOwn times kOwn numbers a thread: of h.Mt
// the derivative is h t^T, added up over the relation's queries; transr's has terms of its own.
struct MatrixTile {
  static constexpr unsigned kStage = 8;  // queries
  static constexpr unsigned kOwn = kMatrixTile / 16;
  static constexpr unsigned kSpace = kStage * kMatrixTile;

  const Bound& a;
  Batch batch;
  unsigned columns;
  unsigned relation = 0;
  unsigned begin = 0;  // of its sorted keys
  unsigned end = 0;
  unsigned first_group = 0;  // transr
  unsigned terms = 0;        // products of vectors that the derivative is the sum of
  unsigned first_row;
  unsigned first_column;
  unsigned own_row = threadIdx.x / 16 * kOwn;
  unsigned own_column = threadIdx.x % 16;  // and every 16th

  __device__ __forceinline__ explicit MatrixTile(const Bound& bound)
      : a(bound),
        batch(a, a.state->now),
        columns(whole_units(a.dim, kMatrixTile)),
        first_row(blockIdx.x / columns % columns * kMatrixTile),
        first_column(blockIdx.x % columns * kMatrixTile) {}
  // Whether the block has a relation.
  __device__ __forceinline__ bool find_relation() {
    const Key* const keys = a.relation_keys.sorted;
    const unsigned number = blockIdx.x / (columns * columns);
    if constexpr (kMovesAll) {
      relation = number;
      begin = lower_bound(keys, 0, batch.queries, key_of(relation));
      end = lower_bound(keys, begin, batch.queries, key_of(relation) | ~0u);
      count_terms();
      return true;
    }
    if (number >= a.segments[0]) return false;
    begin = a.segments[1 + number];
    end = number + 1 < a.segments[0] ? a.segments[2 + number] : batch.queries;
    relation = static_cast<unsigned>(keys[begin] >> 32);
    count_terms();
    return true;
  }
  // transr: three of each query, and of each group its negatives.
  __device__ __forceinline__ void count_terms() {
    terms = end - begin;
    if constexpr (kHasSpaces) {
      first_group = group_at(begin);
      terms = 3 * terms + (group_at(end) - first_group) * a.negative_count;
    }
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
  __device__ __forceinline__ unsigned long long place_of(unsigned i, unsigned j) const {
    const unsigned long long row = first_row + own_row + i;
    const unsigned long long matrix = relation * width_of_relation(a) + (kHasSpaces ? a.dim : 0);
    return matrix + row * a.dim + first_column + own_column + 16 * j;
  }
  __device__ __forceinline__ bool is_there(unsigned i, unsigned j) const {
    return first_row + own_row + i < a.dim && first_column + own_column + 16 * j < a.dim;
  }
  __device__ __forceinline__ unsigned query_at(unsigned place) const {
    return static_cast<unsigned>(a.relation_keys.sorted[begin + place]);
  }
  // Of term `place` what is by row.
  __device__ __forceinline__ Number head_number(unsigned place, unsigned i) const {
    if constexpr (kHasSpaces) {
      const unsigned of_queries = 3 * (end - begin);
      if (place >= of_queries) {
        const unsigned long long images =
            static_cast<unsigned long long>(first_group) * a.negative_count + place - of_queries;
        return a.negative_images[images * a.dim + i];
      }
      const unsigned query = query_at(place / 3);
      if (place % 3 == 0) return 2 * row_of(a.images, query, a.dim)[i];
      return row_of(place % 3 == 1 ? a.by_image : a.differences, query, a.dim)[i];
    } else {
      const unsigned query = query_at(place);
      if (query < batch.tails) return anchor_number(a, a.state->now, query, i);
      return row_of(a.by_query, query, a.dim)[i];
    }
  }
  // And by column.
  __device__ __forceinline__ Number answer_number(unsigned place, unsigned k) const {
    if constexpr (kHasSpaces) {
      const unsigned of_queries = 3 * (end - begin);
      if (place >= of_queries) {
        const unsigned negative = place - of_queries;
        const Group group(a, batch, first_group + negative / a.negative_count);
        return negative_row(a, static_cast<unsigned long long>(group.chunk) * a.negative_count +
                                   negative % a.negative_count)[k];
      }
      const unsigned query = query_at(place / 3);
      if (place % 3 == 0) return row_of(a.by_query, query, a.dim)[k];
      if (place % 3 == 1) return anchor_number(a, a.state->now, query, k);
      return difference_number(a, batch, a.state->now, query, k);
    } else {
      const unsigned query = query_at(place);
      if (query < batch.tails) return row_of(a.by_query, query, a.dim)[k];
      return anchor_number(a, a.state->now, query, k);
    }
  }
  // Of terms from `stage` on: [kStage][kMatrixTile] of what is by row, and by column.
  __device__ __forceinline__ void load(unsigned stage, Number* heads, Number* answers) const {
    for (unsigned t = threadIdx.x; t < kSpace; t += kPairThreads) {
      const unsigned place = stage + t / kMatrixTile;
      const unsigned i = first_row + t % kMatrixTile;
      const unsigned k = first_column + t % kMatrixTile;
      heads[t] = answers[t] = 0;
      if (place >= terms) continue;
      if (i < a.dim) heads[t] = head_number(place, i);
      if (k < a.dim) answers[t] = answer_number(place, k);
    }
  }
  // Of terms from `stage` on.
  __device__ __forceinline__ void add(unsigned stage, const Number* heads, const Number* answers,
                                      Number (&sums)[kOwn][kOwn]) const {
#pragma unroll kUnrolled
    for (unsigned s = 0; s < kStage; ++s) {
      unsigned query = 0;
      if (kDropsRelations && stage + s < terms) query = query_at(stage + s);
#pragma unroll
      for (unsigned i = 0; i < kOwn; ++i) {
#pragma unroll
        for (unsigned j = 0; j < kOwn; ++j) {
          const unsigned row = own_row + i;
          const unsigned column = own_column + 16 * j;
          const Number head = drop_matrix(a, a.state->now, query, first_row + row,
                                          first_column + column, heads[s * kMatrixTile + row]);
          sums[i][j] = multiply_add(head, answers[s * kMatrixTile + column], sums[i][j]);
        }
      }
    }
  }
  __device__ __forceinline__ Number gradient(Number sum, Number w) const {
    if constexpr (!kRegularizes) return sum;
    return sum + static_cast<Number>(end - begin) * (penalty_factor(a, batch.queries, w * w) * w);
  }

  __device__ __forceinline__ void run(Number* heads, Number* answers) const {
    Moved moved[kOwn][kOwn];
#pragma unroll
    for (unsigned i = 0; i < kOwn; ++i) {
#pragma unroll
      for (unsigned j = 0; j < kOwn; ++j) {
        if (is_there(i, j)) moved[i][j].read(a.relations, a.relation_states, place_of(i, j));
      }
    }
    Number sums[kOwn][kOwn] = {};
    for (unsigned stage = 0; stage < terms; stage += kStage) {
      __syncthreads();
      load(stage, heads, answers);
      __syncthreads();
      add(stage, heads, answers, sums);
    }
    const RowRates<Number> rates = rates_of(a);
#pragma unroll
    for (unsigned i = 0; i < kOwn; ++i) {
#pragma unroll
      for (unsigned j = 0; j < kOwn; ++j) {
        if (!is_there(i, j)) continue;
        moved[i][j].move(rates, gradient(sums[i][j], moved[i][j].w));
        moved[i][j].write(a.relations, a.relation_states, place_of(i, j));
      }
    }
  }
};

VECC_KG_FN void move_matrices(const Bound& a) {
  __shared__ Number heads[MatrixTile::kSpace];
  __shared__ Number answers[MatrixTile::kSpace];
  if (a.state->failed != 0) return;
  MatrixTile tile(a);
  if (tile.find_relation()) tile.run(heads, answers);
}

}  // namespace vecc_kernel
