// rescal, transr: the terms of the derivative by a relation's matrix, products of two vectors: of
// h.Mt the derivative is h t^T, added up over the relation's queries; transr has terms of its own.
// Then what a block does beside adding them up: it moves a part of the matrix.
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

// Where kCount terms side by side lie: a thread finds a vector of one, so that memory's time passes
// once for all.
struct TermList {
  // Of products by tensor cores, which begin anew with each list, more.
  static constexpr unsigned kCount = VECC_KG_HAS_SPLIT_MATRICES ? kPairThreads : kPairThreads / 2;
  TermVector rows[kCount];
  TermVector columns[kCount];

  // Of terms `first` and behind. Every thread of the block.
  __device__ __forceinline__ void find(const RelationTerms& terms, unsigned first) {
    const unsigned n = threadIdx.x % kCount;
    __syncthreads();  // those before may be in use
    if (threadIdx.x < kCount) rows[n] = terms.by_row(first + n);
    if (threadIdx.x + kCount >= kPairThreads) columns[n] = terms.by_column(first + n);
    __syncthreads();
  }
};

// A block's part of a relation's matrix: kMatrixRows rows, kMatrixColumns columns.
struct MatrixPart {
  const RelationTerms& terms;
  unsigned first_row;
  unsigned first_column;

  // Of number (row, column) of the part, among all of the tables.
  __device__ __forceinline__ unsigned long long place_of(unsigned row, unsigned column) const {
    const Bound& a = terms.a;
    const unsigned long long matrix =
        terms.relation * width_of_relation(a) + (kHasSpaces ? a.dim : 0);
    return matrix + static_cast<unsigned long long>(first_row + row) * a.dim + first_column +
           column;
  }
  // Of the four numbers from (row, column) on those that are there.
  __device__ __forceinline__ unsigned count_of(unsigned row, unsigned column) const {
    const Bound& a = terms.a;
    return first_row + row < a.dim ? behind(first_column + column, a.dim) : 0;
  }
  // To the L2 cache, while the derivative is computed.
  __device__ __forceinline__ void prefetch() const {
#if __CUDA_ARCH__ >= 700
    const Bound& a = terms.a;
    constexpr unsigned kLine = 128 / sizeof(Number);
    constexpr unsigned kLines = (kMatrixColumns + kLine - 1) / kLine;
    for (unsigned t = threadIdx.x; t < kMatrixRows * kLines; t += kPairThreads) {
      const unsigned row = t / kLines;
      const unsigned column = t % kLines * kLine;
      if (count_of(row, column) == 0) continue;
      const unsigned long long place = place_of(row, column);
      asm volatile("prefetch.global.L2 [%0];" ::"l"(a.relations + place));
      if (kOptimizer == RowOptimizer::Sgd) continue;
      asm volatile("prefetch.global.L2 [%0];" ::"l"(a.relation_states[0] + place));
      if (kOptimizer != RowOptimizer::Adam) continue;
      asm volatile("prefetch.global.L2 [%0];" ::"l"(a.relation_states[1] + place));
    }
#endif
  }
};

// Four numbers side by side of a matrix, with what the optimizer keeps of them.
struct MatrixPiece {
  Four w;
  Four states[2];

  __device__ __forceinline__ void read(const Bound& a, unsigned long long place, unsigned count) {
    w = read_four(a.relations + place, count);
    if constexpr (kOptimizer != RowOptimizer::Sgd) {
      states[0] = read_four(a.relation_states[0] + place, count);
    }
    if constexpr (kOptimizer == RowOptimizer::Adam) {
      states[1] = read_four(a.relation_states[1] + place, count);
    }
  }
  // By the derivatives.
  __device__ __forceinline__ void move(const RelationTerms& terms, const RowRates<Number>& rates,
                                       const Number* sums) {
#pragma unroll
    for (unsigned n = 0; n < 4; ++n) {
      Number gradient = sums[n];
      if constexpr (kRegularizes) {
        gradient += static_cast<Number>(terms.end - terms.begin) *
                    (penalty_factor(terms.a, terms.batch.queries, w.at[n] * w.at[n]) * w.at[n]);
      }
      move_number<kOptimizer>(rates, gradient, w.at[n], states[0].at[n], states[1].at[n]);
    }
  }
  __device__ __forceinline__ void write(const Bound& a, unsigned long long place,
                                        unsigned count) const {
    write_four(a.relations + place, count, w);
    if constexpr (kOptimizer != RowOptimizer::Sgd) {
      write_four(a.relation_states[0] + place, count, states[0]);
    }
    if constexpr (kOptimizer == RowOptimizer::Adam) {
      write_four(a.relation_states[1] + place, count, states[1]);
    }
  }
};

}  // namespace vecc_kernel
#endif
