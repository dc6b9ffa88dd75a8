// Queries of a block: their vectors, by rows, and panels of those. Each number is computed as
// src/kg/scorer.cc computes it, operation by operation: scores have its bits.
namespace vecc_kernel {

using Bound = RankArguments;  // what a kernel is started with, as all kernels of vecc name it

constexpr ScoreModel kModel = static_cast<ScoreModel>(VECC_KG_MODEL);
constexpr TileKind kKind = static_cast<TileKind>(VECC_KG_KIND);
constexpr bool kHasSpaces = kModel == ScoreModel::TransR;
constexpr bool kHasMatrices = kModel == ScoreModel::Rescal || kHasSpaces;
constexpr bool kHasPlanes = kModel == ScoreModel::TransH;
constexpr bool kIsFormula = kModel == ScoreModel::Formula;
constexpr bool kIsPairwise = VECC_KG_IS_PAIRWISE;       // scores are no sums over numbers
constexpr bool kComplex = has_complex_numbers(kModel);  // embeddings
constexpr bool kPairs = kKind == TileKind::ComplexL1;   // sums are over complex numbers
constexpr unsigned kTile = rank_tile(sizeof(Number));

// Where number k of a row is, in panels of `numbers` of each row.
VECC_KG_FN unsigned long long panel_place(unsigned row, unsigned numbers, unsigned k) {
  const unsigned long long panel = row / kTile;
  return (panel * numbers + k) * kTile + row % kTile;
}

// Of a query of the block.
struct RankQuery {
  const Number* x;  // its entity
  const Number* r;  // its relation's vector
  unsigned relation;
  bool tail;

  __device__ __forceinline__ RankQuery(const Bound& a, unsigned i)
      : x(row_of(a.entities, a.anchors[a.first_query + i], a.dim)),
        relation(a.query_relations[a.first_query + i]),
        tail(a.query_tails[a.first_query + i] != 0) {
    r = a.relations + relation * a.relation_stride;
  }
};

#if !VECC_KG_IS_FORMULA
#if !VECC_KG_HAS_MATRICES && !VECC_KG_HAS_PLANES
// A block a query.
VECC_KG_FN void make_queries(const Bound& a) {
  const unsigned i = blockIdx.x;
  const RankQuery query(a, i);
  const unsigned half = a.dim / 2;
  Number* const q = row_of(a.rows, i, a.width);
  for (unsigned k = threadIdx.x; k < (kComplex ? half : a.dim); k += kRankRowThreads) {
    const Complex<Number> x = {query.x[k], kComplex ? query.x[half + k] : Number(0)};
    const Complex<Number> r = {query.r[k], kComplex ? query.r[half + k] : Number(0)};
    const Complex<Number> made = query_number<kModel>(query.tail, x, r);
    q[k] = made.re;
    if (kComplex) q[half + k] = made.im;
  }
  if (kModel != ScoreModel::TransF || threadIdx.x != 0) return;
  Number bias = 0;  // in one order
  for (unsigned k = 0; k < a.dim; ++k) bias += bias_number(query.tail, query.x[k], query.r[k]);
  a.biases[i] = bias;
}
#endif

#if VECC_KG_HAS_PLANES
// Of each lane of a warp: dot() of src/kg/vector_sums.h.
VECC_KG_FN Number dot_product(const Number* x, const Number* y, unsigned size) {
  constexpr unsigned kSums = 16;
  const unsigned lane = threadIdx.x % 32;
  const unsigned whole = size / kSums * kSums;
  Number sum = 0;
  if (lane < kSums) {
    for (unsigned k = lane; k < whole; k += kSums) sum += x[k] * y[k];
  } else if (lane == kSums) {
    for (unsigned k = whole; k < size; ++k) sum += x[k] * y[k];
  }
  Number all = __shfl_sync(~0u, sum, kSums);
  for (unsigned i = 0; i < kSums; ++i) all += __shfl_sync(~0u, sum, static_cast<int>(i));
  return all;
}

// A warp a query: its entity in the relation's plane, and the relation.
VECC_KG_FN void make_plane_queries(const Bound& a) {
  const unsigned i = blockIdx.x;
  const RankQuery query(a, i);
  const Number* const w = a.normals + query.relation * a.normal_stride;
  const Number factor = dot_product(w, query.x, a.dim) / dot_product(w, w, a.dim);
  Number* const q = row_of(a.rows, i, a.width);
  for (unsigned k = threadIdx.x; k < a.dim; k += 32) {
    const Number projected = query.x[k] - factor * w[k];
    q[k] = query.tail ? projected + query.r[k] : projected - query.r[k];
  }
}

// A thread an entity: x - (w.x) / (w.w) w by the relation that the block's queries have.
VECC_KG_FN void project_on_plane(const Bound& a) {
  const unsigned entity = blockIdx.x * kRankRowThreads + threadIdx.x;
  const Number* const w = a.normals + a.query_relations[a.first_query] * a.normal_stride;
  const Number squares = dot_product(w, w, a.dim);
  if (entity >= whole_units(a.entity_count, kTile) * kTile) return;
  const unsigned long long first = panel_place(entity, rank_padded(a.dim), 0);
  const Number* const x = a.answers + first;
  Number* const out = a.projected + first;
  Number factor = 0;
#pragma unroll 8
  for (unsigned k = 0; k < a.dim; ++k) factor += w[k] * x[k * kTile];
  factor /= squares;
#pragma unroll 8
  for (unsigned k = 0; k < a.dim; ++k) out[k * kTile] = x[k * kTile] - factor * w[k];
}
#endif

#else
// A user's score. A thread a query, an entity and a span: which rows its kernels read.
VECC_KG_FN void find_rank_slots(const Bound& a) {
  const unsigned i = blockIdx.x * kRankRowThreads + threadIdx.x;
  const unsigned spans = whole_units(a.entity_count, kRankSpan);
  if (i < a.query_count) {
    a.slots[i] = a.anchors[a.first_query + i];
    a.slot_relations[i] = a.query_relations[a.first_query + i];
  }
  if (i < a.entity_count) a.slot_entities[i] = a.first_entity + i;
  if (kIsPairwise && i < a.query_count * spans) {
    const unsigned query = i / spans;
    const unsigned first = i % spans * kRankSpan;
    const unsigned long long scores = static_cast<unsigned long long>(query) * a.most_entities;
    a.spans[i] = {query, smaller(kRankSpan, a.entity_count - first), first, scores + first};
  }
  if (i != 0) return;
  const unsigned ends[] = {a.query_count, a.entity_count, a.query_count * spans};
  for (unsigned range = 0; range < 3; ++range) {
    a.ranges[2 * range] = 0;
    a.ranges[2 * range + 1] = ends[range];
  }
}
#endif

// A block: kRankPack rows and numbers of them, as parts of panels; complex numbers of a sum over
// such with both parts side by side.
VECC_KG_FN void pack_rows(const Number* rows, unsigned count, unsigned width, Number* panels) {
  __shared__ Number tile[kRankPack * (kRankPack + 1)];
  const unsigned numbers = rank_padded(width);
  const unsigned columns = whole_units(numbers, kRankPack);
  const unsigned first_row = blockIdx.x / columns * kRankPack;
  const unsigned first = blockIdx.x % columns * kRankPack;
  const unsigned lane = threadIdx.x % kRankPack;
  for (unsigned line = threadIdx.x / kRankPack; line < kRankPack;
       line += kRankThreads / kRankPack) {
    const unsigned row = first_row + line;
    const unsigned k = first + lane;
    const unsigned from = kPairs ? k % 2 * (width / 2) + k / 2 : k;
    const bool is_there = row < count && k < width;
    tile[line * (kRankPack + 1) + lane] = is_there ? row_of(rows, row, width)[from] : Number(0);
  }
  __syncthreads();
  for (unsigned line = threadIdx.x / kRankPack; line < kRankPack;
       line += kRankThreads / kRankPack) {
    const unsigned k = first + line;
    if (k >= numbers) continue;
    panels[panel_place(first_row + lane, numbers, k)] = tile[lane * (kRankPack + 1) + line];
  }
}
VECC_KG_FN void pack_queries(const Bound& a) {
  pack_rows(a.rows, a.query_count, a.width, a.queries);
}
VECC_KG_FN void pack_answers(const Bound& a) {
  pack_rows(a.answer_rows, a.entity_count, a.answer_width, a.answers);
}

}  // namespace vecc_kernel
