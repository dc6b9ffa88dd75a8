// Which queries and negatives a step has, and the queries' vectors. CUDA C++ behind formulas_text()
// and arguments.h; VECC_KG_... are defined by step_text().
namespace vecc_kernel {

using Bound = Arguments;  // what a kernel is started with, as all kernels of vecc name it

constexpr ScoreModel kModel = static_cast<ScoreModel>(VECC_KG_MODEL);
constexpr TileKind kKind = static_cast<TileKind>(VECC_KG_KIND);
constexpr TripleLoss kLoss = static_cast<TripleLoss>(VECC_KG_LOSS);
constexpr RowOptimizer kOptimizer = static_cast<RowOptimizer>(VECC_KG_OPTIMIZER);
constexpr Sides kSides = static_cast<Sides>(VECC_KG_SIDES);
constexpr bool kMovesAll = VECC_KG_MOVES_ALL;  // rows without a gradient too
constexpr bool kDrawsAll = VECC_KG_DRAWS_ALL;  // all entities are negatives
constexpr bool kByDegree = VECC_KG_BY_DEGREE;  // else uniform
constexpr bool kFilters = VECC_KG_FILTERS;     // negatives that are known do not count
constexpr bool kLabels = VECC_KG_LABELS;       // k-vs-all
constexpr bool kRegularizes = VECC_KG_REGULARIZES;
constexpr bool kDropsEntities = VECC_KG_DROPS_ENTITIES;
constexpr bool kDropsRelations = VECC_KG_DROPS_RELATIONS;
constexpr bool kConstrains = VECC_KG_CONSTRAINS;  // transh
constexpr bool kHasSpaces = kModel == ScoreModel::TransR;
constexpr bool kHasMatrices = kModel == ScoreModel::Rescal || kHasSpaces;
constexpr unsigned kMatrixRows = VECC_KG_MATRIX_ROWS;        // of a block's part of a matrix
constexpr unsigned kMatrixColumns = VECC_KG_MATRIX_COLUMNS;  // likewise
constexpr unsigned kSpaceColumns = VECC_KG_SPACE_COLUMNS;    // transr: of images, of a block
constexpr bool kHasFours = VECC_KG_HAS_FOURS;  // rows of q, e and entities have fours of numbers
constexpr bool kHasProductTiles = VECC_KG_HAS_PRODUCT_TILES;  // product_scores.h
constexpr unsigned kScoreSide = VECC_KG_SCORE_SIDE;           // of its scores
constexpr bool kHasPlanes = kModel == ScoreModel::TransH;
constexpr bool kIsFormula = kModel == ScoreModel::Formula;
constexpr bool kMakesAnswers = VECC_KG_MAKES_ANSWERS;   // e is no row of entities
constexpr bool kIsPairwise = VECC_KG_IS_PAIRWISE;       // scores are no sums over numbers
constexpr bool kComplex = has_complex_numbers(kModel);  // embeddings
constexpr bool kPairs = kKind == TileKind::ComplexL1;   // sums are over complex numbers

// The score of what is no negative.
VECC_KG_FN Number no_negative() {
  return lowest(Number(0));
}

// Until the launches before are done; those behind may begin to wait. Every block of every kernel
// calls it, so that what is done when a kernel ends is all that it waited for.
VECC_KG_FN void wait_for_launches() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Queries for tails, then for heads; each in chunks.
struct Batch {
  unsigned first;    // of the order
  unsigned triples;  //
  unsigned tails;    // queries
  unsigned queries;
  unsigned tail_chunks;
  unsigned chunks;

  __device__ __forceinline__ Batch(const Bound& a, unsigned number) {
    first = number * a.batch_size;
    triples = smaller(a.batch_size, a.triple_count - first);
    tails = kSides == Sides::Head ? 0 : kSides == Sides::Mixed ? a.state->tails : triples;
    queries = kSides == Sides::Both ? 2 * triples : triples;
    tail_chunks = whole_units(tails, a.chunk);
    chunks = tail_chunks + whole_units(queries - tails, a.chunk);
  }
  __device__ __forceinline__ unsigned chunk_of(const Bound& a, unsigned query) const {
    return query < tails ? query / a.chunk : tail_chunks + (query - tails) / a.chunk;
  }
  __device__ __forceinline__ unsigned parts(const Bound& a) const {
    return 2 * queries + chunks * a.negative_count;
  }
};
// Of a chunk.
struct ChunkQueries {
  unsigned first;
  unsigned count;

  __device__ __forceinline__ ChunkQueries(const Bound& a, const Batch& batch, unsigned chunk) {
    const bool is_tail = chunk < batch.tail_chunks;
    first = is_tail ? chunk * a.chunk : batch.tails + (chunk - batch.tail_chunks) * a.chunk;
    const unsigned end = is_tail ? batch.tails : batch.queries;
    count = chunk < batch.chunks ? smaller(a.chunk, end - first) : 0;
  }
};

// Number k of a row.
VECC_KG_FN Complex<Number> number_of(const Number* row, unsigned k, unsigned dim) {
  return {row[k], kComplex ? row[dim / 2 + k] : Number(0)};
}
VECC_KG_FN void set_number(Number* row, unsigned k, unsigned dim, Complex<Number> x) {
  row[k] = x.re;
  if (kComplex) row[dim / 2 + k] = x.im;
}
VECC_KG_FN unsigned number_count(const Bound& a) {
  return kComplex ? a.dim / 2 : a.dim;
}
// Numbers of a relation's row.
VECC_KG_FN unsigned long long width_of_relation(const Bound& a) {
  const unsigned long long dim = a.dim;
  if (kIsFormula) return a.relation_width;
  if (kHasSpaces) return dim + dim * dim;
  return kHasMatrices ? dim * dim : kHasPlanes ? 2 * dim : dim;
}
VECC_KG_FN const Number* entity(const Bound& a, unsigned row) {
  return a.entities + static_cast<unsigned long long>(row) * a.dim;
}

// Where number k of a row of entities (relations) is among `rows` rows.
template <bool kIsEntity>
VECC_KG_FN unsigned long long number_place(const Bound& a, unsigned long long rows,
                                           unsigned long long row, unsigned long long k) {
  if constexpr (!kIsFormula) return row * (kIsEntity ? a.dim : width_of_relation(a)) + k;
  const unsigned* begins = kIsEntity ? a.entity_parts : a.relation_parts;
  while (begins[1] <= k) ++begins;
  return begins[0] * rows + row * (begins[1] - begins[0]) + (k - begins[0]);
}

// What dropout makes of a number: its factor.
VECC_KG_FN Number dropout_factor(DrawBits seed, DrawStream stream, DrawBits step, DrawBits slot,
                                 DrawBits width, DrawBits k, unsigned share, double scale) {
  const DrawBits bits = draw_bits(seed, stream, step, dropout_position(slot, width, k));
  return is_dropped(bits, k, share) ? Number(0) : static_cast<Number>(scale);
}
// By batch `number` of the epoch: of the entity of a part, which is its slot; of a query's
// relation.
VECC_KG_FN Number entity_keep(const Bound& a, unsigned number, unsigned part, unsigned k) {
  return dropout_factor(a.seed, DrawStream::EntityDropout, a.state->first_step + number, part,
                        a.dim, k, a.entity_share, a.entity_scale);
}
VECC_KG_FN Number relation_keep(const Bound& a, unsigned number, unsigned query,
                                unsigned long long width, unsigned long long k) {
  return dropout_factor(a.seed, DrawStream::RelationDropout, a.state->first_step + number, query,
                        width, k, a.relation_share, a.relation_scale);
}
// Number k of a row, or of a derivative by it, times its factors.
VECC_KG_FN Complex<Number> drop_entity(const Bound& a, unsigned number, unsigned part, unsigned k,
                                       Complex<Number> x) {
  if constexpr (kDropsEntities) {
    x.re *= entity_keep(a, number, part, k);
    if constexpr (kComplex) x.im *= entity_keep(a, number, part, a.dim / 2 + k);
  }
  return x;
}
VECC_KG_FN Complex<Number> drop_relation(const Bound& a, unsigned number, unsigned query,
                                         unsigned k, Complex<Number> x) {
  if constexpr (kDropsRelations) {
    x.re *= relation_keep(a, number, query, a.dim, k);
    if constexpr (kComplex) x.im *= relation_keep(a, number, query, a.dim, a.dim / 2 + k);
  }
  return x;
}
// Rows of negatives as the step reads them, their step, and which of them is negative `place` of
// all chunks.
VECC_KG_FN const Number* negative_rows(const Bound& a) {
  if constexpr (kMakesAnswers) return a.vectors;
  if constexpr (!kDropsEntities) return a.entities;
  return a.dropped + (kIsFormula ? 2ull * a.most_queries * a.dim : 0);
}
VECC_KG_FN unsigned negative_step(const Bound& a) {
  return kMakesAnswers ? a.width : a.dim;
}
VECC_KG_FN unsigned negative_number(const Bound& a, unsigned long long place) {
  return kMakesAnswers || kDropsEntities ? static_cast<unsigned>(place) : a.negatives[place];
}
VECC_KG_FN const Number* negative_row(const Bound& a, unsigned long long place) {
  return row_of(negative_rows(a), negative_number(a, place), negative_step(a));
}

// The sum of a value of each thread of a block of kThreads, in each of them, in one order.
template <unsigned kThreads, class T>
VECC_KG_FN T block_sum(T value) {
  __shared__ T sums[kThreads];
  const unsigned thread = threadIdx.x;
  sums[thread] = value;
  __syncthreads();
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    if (thread < half) sums[thread] += sums[thread + half];
    __syncthreads();
  }
  const T sum = sums[0];
  __syncthreads();
  return sum;
}

// Sides::Mixed: whether triple `place` of a batch asks for its head.
VECC_KG_FN bool asks_head(const Bound& a, unsigned number, unsigned place, unsigned triple) {
  if constexpr (kLabels) return triple >= a.tail_queries;
  const DrawBits bits = draw_bits(a.seed, DrawStream::Sides, a.state->first_step + number, place);
  return draw_uniform(bits) <
         a.head_probability[a.triples[3 * static_cast<unsigned long long>(triple) + 1]];
}

// Sides::Mixed, one block: each triple's side; triples of a side keep their order.
VECC_KG_FN void draw_sides(const Bound& a) {
  __shared__ unsigned heads_of_warp[kSideThreads / 32];
  if (a.state->failed != 0) return;
  const unsigned number = a.state->next;
  const unsigned first = number * a.batch_size;
  const unsigned count = smaller(a.batch_size, a.triple_count - first);
  const unsigned lane = threadIdx.x % 32;
  unsigned heads = 0;  // of all threads before
  for (unsigned begin = 0; begin < count; begin += kSideThreads) {
    const unsigned i = begin + threadIdx.x;
    const unsigned triple = i < count ? a.order[first + i] : 0;
    const bool is_head = i < count && asks_head(a, number, i, triple);
    const unsigned votes = __ballot_sync(~0u, is_head);
    if (lane == 0) heads_of_warp[threadIdx.x / 32] = static_cast<unsigned>(__popc(votes));
    __syncthreads();
    unsigned before = heads + static_cast<unsigned>(__popc(votes & ((1u << lane) - 1)));
    for (unsigned w = 0; w < kSideThreads / 32; ++w) {
      if (w < threadIdx.x / 32) before += heads_of_warp[w];
      heads += heads_of_warp[w];
    }
    if (i < count) a.chosen[is_head ? a.batch_size + before : i - before] = triple;
    __syncthreads();
  }
  if (threadIdx.x == 0) a.state->tails = count - heads;
}

// Known answers of a query: rows (relation, anchor, answer), ascending.
struct KnownAnswers {
  const unsigned* rows;
  unsigned begin;
  unsigned end;

  __device__ __forceinline__ KnownAnswers(const Bound& a, const QueryRows& query, bool tail) {
    rows = tail ? a.known_tails : a.known_heads;
    const unsigned count = tail ? a.known_tail_count : a.known_head_count;
    begin = find(0, count, query.relation, query.anchor, 0);
    end = find(begin, count, query.relation, query.anchor, ~0u);
  }
  // No entity has the number ~0u.
  __device__ __forceinline__ unsigned find(unsigned from, unsigned to, unsigned relation,
                                           unsigned anchor, unsigned answer) const {
    while (from < to) {
      const unsigned middle = from + (to - from) / 2;
      const unsigned* const row = rows + 3 * static_cast<unsigned long long>(middle);
      const bool is_below = row[0] != relation ? row[0] < relation
                            : row[1] != anchor ? row[1] < anchor
                                               : row[2] < answer;
      if (is_below) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }
  __device__ __forceinline__ unsigned count() const { return end - begin; }
  __device__ __forceinline__ unsigned answer(unsigned i) const {
    return rows[3 * static_cast<unsigned long long>(begin + i) + 2];
  }
  __device__ __forceinline__ bool has(const QueryRows& query, unsigned answer) const {
    const unsigned place = find(begin, end, query.relation, query.anchor, answer);
    return place < end && rows[3 * static_cast<unsigned long long>(place) + 2] == answer;
  }
};

// k-vs-all: one of a query's answers.
VECC_KG_FN unsigned draw_answer(const Bound& a, unsigned number, unsigned i,
                                const KnownAnswers& known) {
  const DrawBits bits = draw_bits(a.seed, DrawStream::Answers, a.state->first_step + number, i);
  return known.answer(draw_below(bits, known.count()));
}

// transh: a query's q, u and c (src/kg/projected_query.h).
VECC_KG_FN void begin_plane_query(const Bound& a, unsigned number, unsigned i, bool tail,
                                  const QueryRows& rows) {
  const Number* const r = row_of(a.relations, rows.relation, 2 * a.dim);
  const Number* const w = r + a.dim;
  Number* const u = row_of(a.normals, i, a.dim);
  Number* const q = row_of(a.queries, i, a.dim);
  const Number sign = tail ? Number(1) : Number(-1);
  Number square = 0;
  for (unsigned k = threadIdx.x; k < a.dim; k += kRowThreads) square += w[k] * w[k];
  const Number size = square_root(block_sum<kRowThreads>(square));
  Number along = 0;
  Number c = 0;
  for (unsigned k = threadIdx.x; k < a.dim; k += kRowThreads) {
    u[k] = w[k] / size;
    q[k] = drop_entity(a, number, i, k, {entity(a, rows.anchor)[k], Number(0)}).re;
    along += u[k] * q[k];
    c += u[k] * r[k];
  }
  along = block_sum<kRowThreads>(along);
  c = block_sum<kRowThreads>(c);
  for (unsigned k = threadIdx.x; k < a.dim; k += kRowThreads) {
    q[k] += sign * r[k] - along * u[k];
  }
  if (threadIdx.x == 0) a.biases[i] = sign * c;
}

VECC_KG_FN void draw_negative(const Bound& a, const Batch& batch, unsigned step_batch,
                              unsigned place) {
  if (place >= batch.chunks * a.negative_count) return;
  unsigned drawn = place % a.negative_count;
  if constexpr (!kDrawsAll) {
    const DrawBits bits =
        draw_bits(a.seed, DrawStream::Negatives, a.state->first_step + step_batch, place);
    if constexpr (kByDegree) {
      drawn = draw_weighted(bits, a.degree_sums, a.entity_count);
    } else {
      drawn = draw_below(bits, a.entity_count);
    }
  }
  a.negatives[place] = drawn;
  const unsigned part = 2 * batch.queries + place;
  a.entity_keys.keys[part] = static_cast<Key>(drawn) << 32 | part;
}

// A block a negative: its row as dropout leaves it.
VECC_KG_FN void drop_negatives(const Bound& a) {
  const unsigned number = a.state->now;
  const Batch batch(a, number);
  if (a.state->failed != 0 || blockIdx.x >= batch.chunks * a.negative_count) return;
  const Number* const from = entity(a, a.negatives[blockIdx.x]);
  Number* const to = a.dropped + static_cast<unsigned long long>(blockIdx.x) * a.dim;
  const unsigned part = 2 * batch.queries + blockIdx.x;
  for (unsigned k = threadIdx.x; k < number_count(a); k += kRowThreads) {
    set_number(to, k, a.dim, drop_entity(a, number, part, k, number_of(from, k, a.dim)));
  }
}

}  // namespace vecc_kernel
