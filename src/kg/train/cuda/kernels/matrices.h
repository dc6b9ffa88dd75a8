// rescal: products with the relations' matrices, of queries that are sorted by relation, and the
// matrices moved. A matrix is read once for each run of queries.
namespace vecc_kernel {

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
  for (unsigned first = 0; first < batch.queries; first += kSideThreads) {
    const unsigned p = first + threadIdx.x;
    const bool is_key = p < batch.queries;
    const Key key = is_key ? keys[p] : 0;
    const Key before = is_key && p > 0 ? keys[p - 1] : ~static_cast<Key>(0);
    const bool is_other = key >> 32 != before >> 32;
    const bool turns =
        (static_cast<unsigned>(key) < batch.tails) != (static_cast<unsigned>(before) < batch.tails);
    segments.add(is_key && is_other, p, of_warp);
    runs.add(is_key && (is_other || turns || p % kProductRows == 0), p, of_warp);
  }
  if (threadIdx.x != 0) return;
  a.segments[0] = segments.found;
  a.runs[0] = runs.found;
}

// Number (i, k) of the matrix of a query's relation, times its factor of dropout.
VECC_KG_FN Number drop_matrix(const Bound& a, unsigned number, unsigned query, unsigned i,
                              unsigned k, Number x) {
  if constexpr (!kDropsRelations) return x;
  const unsigned long long dim = a.dim;
  return x * relation_keep(a, number, query, dim * dim, i * dim + k);
}

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
#pragma unroll 8
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
      if (i < count) to(parts[i])[own] = sums[i];
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

// A block: a run, kRowThreads numbers of what comes out. Forward: queries of their entities; else
// what their derivatives pass on to those.
template <bool kForward>
VECC_KG_FN void multiply_matrices(const Bound& a) {
  __shared__ Number vectors[kProductRows * 32];
  __shared__ Number tile[kRowThreads * 33];
  __shared__ unsigned parts[kProductRows];
  const unsigned number = a.state->now;
  const Batch batch(a, number);
  const unsigned columns = whole_units(a.dim, kRowThreads);
  const unsigned run = blockIdx.x / columns;
  if (run >= a.runs[0]) return;
  const unsigned first = a.runs[1 + run];
  const unsigned end = run + 1 < a.runs[0] ? a.runs[2 + run] : batch.queries;
  if (threadIdx.x < end - first) {
    parts[threadIdx.x] = static_cast<unsigned>(a.relation_keys.sorted[first + threadIdx.x]);
  }
  __syncthreads();
  const Number* const matrix = a.relations + (a.relation_keys.sorted[first] >> 32) * a.dim * a.dim;
  const bool tail = parts[0] < batch.tails;
  const Product product = {
      a,     number,  matrix, kForward == tail, blockIdx.x % columns * kRowThreads, end - first,
      parts, vectors, tile};
  const auto from = [&](unsigned part, unsigned k) {
    if (!kForward) return row_of(a.by_query, part, a.dim)[k];
    return anchor_number(a, number, part, k);
  };
  const auto to = [&](unsigned part) {
    return row_of(kForward ? a.queries : a.by_anchor, part, a.dim);
  };
  if (product.count <= 4) {
    product.compute<4>(a.dim, from, to);
  } else if (product.count <= 8) {
    product.compute<8>(a.dim, from, to);
  } else {
    product.compute<kProductRows>(a.dim, from, to);
  }
}

// kMatrixTile rows and columns of a relation's matrix, kOwn times kOwn numbers a thread: of h.Mt
// the derivative is h t^T, added up over the relation's queries.
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
      return true;
    }
    if (number >= a.segments[0]) return false;
    begin = a.segments[1 + number];
    end = number + 1 < a.segments[0] ? a.segments[2 + number] : batch.queries;
    relation = static_cast<unsigned>(keys[begin] >> 32);
    return true;
  }
  __device__ __forceinline__ unsigned long long place_of(unsigned i, unsigned j) const {
    const unsigned long long rows = static_cast<unsigned long long>(relation) * a.dim + first_row;
    return (rows + own_row + i) * a.dim + first_column + own_column + 16 * j;
  }
  __device__ __forceinline__ bool is_there(unsigned i, unsigned j) const {
    return first_row + own_row + i < a.dim && first_column + own_column + 16 * j < a.dim;
  }
  // Of queries from `stage` on: [kStage][kMatrixTile] of what is by row, and by column.
  __device__ __forceinline__ void load(unsigned stage, Number* heads, Number* answers) const {
    for (unsigned t = threadIdx.x; t < kSpace; t += kPairThreads) {
      const unsigned place = stage + t / kMatrixTile;
      const unsigned i = first_row + t % kMatrixTile;
      const unsigned k = first_column + t % kMatrixTile;
      heads[t] = answers[t] = 0;
      if (place >= end) continue;
      const unsigned part = static_cast<unsigned>(a.relation_keys.sorted[place]);
      const Number* const dq = row_of(a.by_query, part, a.dim);
      const bool tail = part < batch.tails;
      if (i < a.dim) heads[t] = tail ? anchor_number(a, a.state->now, part, i) : dq[i];
      if (k < a.dim) answers[t] = tail ? dq[k] : anchor_number(a, a.state->now, part, k);
    }
  }
  // Of queries from `stage` on.
  __device__ __forceinline__ void add(unsigned stage, const Number* heads, const Number* answers,
                                      Number (&sums)[kOwn][kOwn]) const {
    for (unsigned s = 0; s < kStage; ++s) {
      unsigned query = 0;
      if (kDropsRelations && stage + s < end) {
        query = static_cast<unsigned>(a.relation_keys.sorted[stage + s]);
      }
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
    for (unsigned stage = begin; stage < end; stage += kStage) {
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
