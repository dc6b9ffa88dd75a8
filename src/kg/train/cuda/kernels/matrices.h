// rescal, transr: products with the relations' matrices, of queries that are sorted by relation. A
// matrix is read once for each run of queries.
#if VECC_KG_HAS_MATRICES
namespace vecc_kernel {

VECC_KG_FN const Number* matrix_of(const Bound& a, unsigned long long relation) {
  return a.relations + relation * width_of_relation(a) + (kHasSpaces ? a.dim : 0);
}

// What one block lists while it goes over sorted keys: places where something begins.
struct Beginnings {
  unsigned* list;  // their number, then they
  unsigned found;

  // Every thread of the block with its place; `of_warp`: kSideThreads / 32 numbers to work with.
  // Returns how many began before.
  __device__ __forceinline__ unsigned add(bool begins, unsigned place, unsigned* of_warp) {
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
    return before;
  }
};

// Likewise: the last place, at a thread's own or before, where something begins.
struct LastBeginning {
  unsigned last;

  __device__ __forceinline__ unsigned find(bool begins, unsigned first, unsigned* of_warp) {
    const unsigned own_warp = threadIdx.x / 32;
    const unsigned votes = __ballot_sync(~0u, begins);
    if (threadIdx.x % 32 == 0) of_warp[own_warp] = votes;
    __syncthreads();
    unsigned found = last;
    for (unsigned w = 0; w < kSideThreads / 32; ++w) {
      if (of_warp[w] != 0) last = first + w * 32 + highest(of_warp[w]);
      if (w < own_warp) found = last;
    }
    const unsigned own = votes & (~0u >> (31 - threadIdx.x % 32));
    __syncthreads();
    return own != 0 ? first + own_warp * 32 + highest(own) : found;
  }
  // The place of the highest of some bits.
  static __device__ __forceinline__ unsigned highest(unsigned bits) {
    return 31 - static_cast<unsigned>(__clz(static_cast<int>(bits)));
  }
};

constexpr unsigned kSets = kHasSpaces ? 2 : 1;          // vectors of a query, at most
constexpr unsigned kRunQueries = kProductRows / kSets;  // that a block multiplies

// One block: where each relation's sorted keys begin, and each run: at most kRunQueries queries of
// one relation and side.
VECC_KG_FN void find_segments(const Bound& a) {
  __shared__ unsigned of_warp[kSideThreads / 32];
  if (a.state->failed != 0) return;
  const Batch batch(a, a.state->now);
  const Key* const keys = a.relation_keys.sorted;
  Beginnings segments = {a.segments, 0};
  Beginnings runs = {a.runs, 0};
  Beginnings groups = {a.groups, 0};
  LastBeginning stretch = {0};  // of one relation and side
  for (unsigned first = 0; first < batch.queries; first += kSideThreads) {
    const unsigned p = first + threadIdx.x;
    const bool is_key = p < batch.queries;
    const Key key = is_key ? keys[p] : 0;
    const Key before = is_key && p > 0 ? keys[p - 1] : ~static_cast<Key>(0);
    const bool is_other = key >> 32 != before >> 32;
    const bool turns =
        (static_cast<unsigned>(key) < batch.tails) != (static_cast<unsigned>(before) < batch.tails);
    const unsigned segment = segments.add(is_key && is_other, p, of_warp);
    if constexpr (kHasSpaces) {
      const bool moves_on =
          p == 0 || (is_key && batch.chunk_of(a, static_cast<unsigned>(key)) !=
                                   batch.chunk_of(a, static_cast<unsigned>(before)));
      const unsigned group = groups.add(is_key && (is_other || moves_on), p, of_warp);
      if (is_key && is_other) a.segment_groups[segment] = group;
    }
    const unsigned begin = stretch.find(is_key && (is_other || turns), first, of_warp);
    runs.add(is_key && (p - begin) % kRunQueries == 0, p, of_warp);
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

// Numbers of a run's vectors on their way to shared memory: read(row, term).
template <unsigned kRows>
struct VectorStage {
  static constexpr unsigned kAll = kRows * kDepth;
  static constexpr unsigned kHeld = (kAll + kPairThreads - 1) / kPairThreads;
  Number numbers[kHeld];

  static __device__ __forceinline__ unsigned place(unsigned n) {
    return threadIdx.x + n * kPairThreads;
  }
  template <class Read>
  __device__ __forceinline__ void fetch(const Read& read) {
#pragma unroll
    for (unsigned n = 0; n < kHeld; ++n) {
      if (place(n) < kAll) numbers[n] = read(place(n) / kDepth, place(n) % kDepth);
    }
  }
  __device__ __forceinline__ void put(Number* to) const {
#pragma unroll
    for (unsigned n = 0; n < kHeld; ++n) {
      if (place(n) < kAll) to[place(n) % kDepth * (kRows + 4) + place(n) / kDepth] = numbers[n];
    }
  }
};

// Vectors of a run, kOf of each query, times its relation's matrix or its transpose, which is read
// once: kWideColumns numbers of what comes out.
template <unsigned kOf>
struct Product {
  const Bound& a;
  unsigned number;  // batch
  const Number* matrix;
  bool transposed;
  unsigned first_column;
  unsigned count;         // of the run
  const unsigned* parts;  // its queries

  // The vector in a row of a tile: a thread has all of a query's.
  template <unsigned kOwn>
  static __device__ __forceinline__ unsigned query_of(unsigned row) {
    const unsigned lane = kOwn < 4 ? row % 8 : row / kOwn;
    return lane * (kOwn / kOf) + set_of<kOwn>(row, 0);
  }
  template <unsigned kOwn>
  static __device__ __forceinline__ unsigned set_of(unsigned row, unsigned which) {
    const unsigned i = kOwn < 4 ? row / 8 : row % kOwn;
    return which == 0 ? i / kOf : i % kOf;
  }
  // kOwn times 8 rows, as many as the run's vectors or more.
  template <unsigned kOwn, class From, class To>
  __device__ __forceinline__ void compute(Number* space, const From& from, const To& to) const {
    using Rows = VectorStage<8 * kOwn>;
    Rows rows;
    WideTile<kOwn> tile;
    const auto fetch_rows = [&](unsigned stage, Rows& to_rows) {
      to_rows.fetch([&](unsigned row, unsigned term) {
        const unsigned query = query_of<kOwn>(row);
        const unsigned k = stage * kDepth + term;
        return query < count && k < a.dim ? from(parts[query], k, set_of<kOwn>(row, 1)) : Number(0);
      });
    };
    const auto terms_of = [&](unsigned stage) { return smaller(kDepth, a.dim - stage * kDepth); };
    const auto weigh = [&](unsigned term, unsigned row, unsigned column, Number x) {
      if (!kDropsRelations || query_of<kOwn>(row) >= count) return x;
      const unsigned own = first_column + column;
      return drop_matrix(a, number, parts[query_of<kOwn>(row)], transposed ? term : own,
                         transposed ? own : term, x);
    };
    const unsigned stages = whole_units(a.dim, kDepth);
    constexpr unsigned kUnroll = kDropsRelations ? 1 : 8;
    if (transposed) {
      TermStage<kWideColumns> columns;
      tile.template add_stages<kUnroll>(
          rows, columns, stages, a.dim - first_column, space,
          [&](unsigned stage, Rows& to_rows, TermStage<kWideColumns>& to_columns) {
            fetch_rows(stage, to_rows);
            to_columns.fetch([&](unsigned, unsigned term, unsigned lane) {
              return read_matrix(stage * kDepth + term, first_column + lane);
            });
          },
          terms_of, weigh);
    } else {
      LaneStage<kWideColumns> columns;
      tile.template add_stages<kUnroll>(
          rows, columns, stages, a.dim - first_column, space,
          [&](unsigned stage, Rows& to_rows, LaneStage<kWideColumns>& to_columns) {
            fetch_rows(stage, to_rows);
            to_columns.fetch([&](unsigned, unsigned lane, unsigned term) {
              return read_matrix(first_column + lane, stage * kDepth + term);
            });
          },
          terms_of, weigh);
    }
    write<kOwn>(tile, to);
  }
  // Of no more than kVectors.
  template <unsigned kVectors, class From, class To>
  __device__ __forceinline__ void compute_few(Number* space, const From& from, const To& to) const {
    const FewProducts<kVectors> few = {a.dim, first_column, space};
    const auto read = [&](unsigned vector, unsigned k) {
      return vector < count * kOf ? from(parts[vector / kOf], k, vector % kOf) : Number(0);
    };
    const auto rows = [&](unsigned i, unsigned k) { return read_matrix(i, k); };
    if (transposed) {
      few.multiply_transpose(read, rows);
    } else {
      few.multiply(read, rows);
    }
    const unsigned k = first_column + threadIdx.x;
    if (k >= a.dim) return;
#pragma unroll
    for (unsigned vector = 0; vector < kVectors; vector += kOf) {
      if (vector >= count * kOf) return;
      Number sums[kOf];
#pragma unroll
      for (unsigned set = 0; set < kOf; ++set) {
        sums[set] = few.sums()[(vector + set) * kWideColumns + threadIdx.x];
      }
      to(parts[vector / kOf], k, sums);
    }
  }
  __device__ __forceinline__ Four read_matrix(unsigned i, unsigned k) const {
    return i < a.dim ? read_four(row_of(matrix, i, a.dim) + k, behind(k, a.dim)) : Four{};
  }
  template <unsigned kOwn, class To>
  __device__ __forceinline__ void write(const WideTile<kOwn>& tile, const To& to) const {
#pragma unroll
    for (unsigned i = 0; i < kOwn; i += kOf) {
      const unsigned query = query_of<kOwn>(tile.row(i));
      if (query >= count) continue;
#pragma unroll
      for (unsigned j = 0; j < 8; ++j) {
        const unsigned k = first_column + tile.column(j);
        Number sums[kOf];
#pragma unroll
        for (unsigned set = 0; set < kOf; ++set) sums[set] = tile.sums[i + set][j];
        if (k < a.dim) to(parts[query], k, sums);
      }
    }
  }
};

// A block: a run, kWideColumns numbers of what comes out. is_transposed(tail): whether the side's
// queries are multiplied with the transpose; from(query, k, set): number k of what is multiplied;
// to(query, k, sums) takes what comes out, by set.
template <unsigned kOf, class IsTransposed, class From, class To>
VECC_KG_FN void multiply_runs(const Bound& a, const Batch& batch, unsigned number,
                              const IsTransposed& is_transposed, const From& from, const To& to) {
  static_assert(kOf <= kSets, "a run's vectors are no more than kProductRows");
  __shared__ __align__(32) Number space[WideTile<kProductRows / 8>::kSpace];
  __shared__ unsigned parts[kRunQueries];
  const unsigned columns = whole_units(a.dim, kWideColumns);
  const unsigned run = blockIdx.x / columns;
  if (run >= a.runs[0]) return;
  const unsigned first = a.runs[1 + run];
  const unsigned end = run + 1 < a.runs[0] ? a.runs[2 + run] : batch.queries;
  if (threadIdx.x < end - first) {
    parts[threadIdx.x] = static_cast<unsigned>(a.relation_keys.sorted[first + threadIdx.x]);
  }
  __syncthreads();
  const Product<kOf> product = {a,
                                number,
                                matrix_of(a, a.relation_keys.sorted[first] >> 32),
                                is_transposed(parts[0] < batch.tails),
                                blockIdx.x % columns * kWideColumns,
                                end - first,
                                parts};
  const unsigned rows = product.count * kOf;
  if constexpr (!kDropsRelations) {
    static_assert(FewProducts<kFewVectors>::kSpace <= WideTile<kProductRows / 8>::kSpace);
    if (rows <= 4) return product.template compute_few<4>(space, from, to);
    if (rows <= kFewVectors) return product.template compute_few<kFewVectors>(space, from, to);
  }
  if (kOf == 1 && rows <= 8) {
    product.template compute<kOf>(space, from, to);
  } else if (rows <= 16) {
    product.template compute<2>(space, from, to);
  } else {
    product.template compute<4>(space, from, to);
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
#endif
