// rescal, transr: products with the relations' matrices, of queries that are sorted by relation. A
// matrix is read once for each run of queries.
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

// Products of a run's vectors, kSets of each query, with its relation's matrix: a thread has a
// number of each vector that comes out.
template <unsigned kSets>
struct Product {
  const Bound& a;
  unsigned number;  // batch
  const Number* matrix;
  bool transposed;     // then a thread has a column, else a row
  unsigned first_own;  // the block's first
  unsigned count;      // of the run
  const unsigned* parts;
  Number* vectors;  // space: [kProductRows][kSets][32]
  Number* tile;     // space: [kRowThreads][33]

  // Those of kQueries, at least `count`, are computed.
  template <unsigned kQueries, class From, class To>
  __device__ __forceinline__ void compute(unsigned dim, const From& from, const To& to) const {
    constexpr unsigned kRows = kQueries * kSets;
    Number sums[kRows] = {};
    const unsigned own = first_own + threadIdx.x;
    for (unsigned begin = 0; begin < dim; begin += 32) {
      const unsigned terms = smaller(32, dim - begin);
      __syncthreads();
      for (unsigned t = threadIdx.x; t < kRows * 32; t += kRowThreads) {
        const unsigned i = t / 32 / kSets;
        const unsigned k = t % 32;
        const bool is_there = i < count && k < terms;
        vectors[t] = is_there ? from(parts[i], begin + k, t / 32 % kSets) : Number(0);
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
          if (kDropsRelations && i / kSets < count) {
            own_factor = drop_matrix(a, number, parts[i / kSets], transposed ? begin + k : own,
                                     transposed ? own : begin + k, factor);
          }
          sums[i] = multiply_add(own_factor, vectors[i * 32 + k], sums[i]);
        }
      }
    }
    if (own >= dim) return;
#pragma unroll
    for (unsigned i = 0; i < kQueries; ++i) {
      if (i < count) to(parts[i], own, sums + i * kSets);
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
// queries are multiplied with the transpose; from(query, k, set): number k of what is multiplied;
// to(query, k, sums) takes what comes out, by set.
template <unsigned kSets, class IsTransposed, class From, class To>
VECC_KG_FN void multiply_runs(const Bound& a, const Batch& batch, unsigned number,
                              const IsTransposed& is_transposed, const From& from, const To& to) {
  __shared__ Number vectors[kProductRows * kSets * 32];
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
  const Product<kSets> product = {a,
                                  number,
                                  matrix_of(a, a.relation_keys.sorted[first] >> 32),
                                  is_transposed(parts[0] < batch.tails),
                                  blockIdx.x % columns * kRowThreads,
                                  end - first,
                                  parts,
                                  vectors,
                                  tile};
  if (product.count <= 4) {
    product.template compute<4>(a.dim, from, to);
  } else if (product.count <= 8) {
    product.template compute<8>(a.dim, from, to);
  } else {
    product.template compute<kProductRows>(a.dim, from, to);
  }
}

// rescal. Forward: queries of their entities; else what their derivatives pass on to those.
template <bool kForward>
VECC_KG_FN void multiply_matrices(const Bound& a) {
  const unsigned number = a.state->now;
  const Batch batch(a, number);
  multiply_runs<1>(
      a, batch, number, [](bool tail) { return kForward == tail; },
      [&](unsigned query, unsigned k, unsigned) {
        if (!kForward) return row_of(a.by_query, query, a.dim)[k];
        return anchor_number(a, number, query, k);
      },
      [&](unsigned query, unsigned k, const Number* sums) {
        row_of(kForward ? a.queries : a.by_anchor, query, a.dim)[k] = sums[0];
      });
}

// Queries of one relation and chunk, side by side among the sorted keys.
struct Group {
  unsigned begin;
  unsigned end;
  unsigned chunk;
  unsigned relation;

  __device__ __forceinline__ Group() {}
  __device__ __forceinline__ Group(const Bound& a, const Batch& batch, unsigned number) {
    begin = a.groups[1 + number];
    end = number + 1 < a.groups[0] ? a.groups[2 + number] : batch.queries;
    const Key key = a.relation_keys.sorted[begin];
    relation = static_cast<unsigned>(key >> 32);
    chunk = batch.chunk_of(a, static_cast<unsigned>(key));
  }
};

}  // namespace vecc_kernel
