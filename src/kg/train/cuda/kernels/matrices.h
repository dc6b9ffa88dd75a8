// rescal: products with the relations' matrices, of queries that are sorted by relation, and the
// matrices moved. A block reads a matrix once for the queries of its relation that it has.
namespace vecc_kernel {

// One block: where each relation's sorted keys begin.
VECC_KG_FN void find_segments(const Bound& a) {
  __shared__ unsigned of_warp[kSideThreads / 32];
  if (a.state->failed != 0) return;
  const unsigned count = Batch(a, a.state->now).queries;
  const Key* const keys = a.relation_keys.sorted;
  const unsigned lane = threadIdx.x % 32;
  unsigned found = 0;
  for (unsigned first = 0; first < count; first += kSideThreads) {
    const unsigned p = first + threadIdx.x;
    const bool begins = p < count && (p == 0 || keys[p] >> 32 != keys[p - 1] >> 32);
    const unsigned votes = __ballot_sync(~0u, begins);
    if (lane == 0) of_warp[threadIdx.x / 32] = static_cast<unsigned>(__popc(votes));
    __syncthreads();
    unsigned place = found + static_cast<unsigned>(__popc(votes & ((1u << lane) - 1)));
    for (unsigned w = 0; w < kSideThreads / 32; ++w) {
      if (w < threadIdx.x / 32) place += of_warp[w];
      found += of_warp[w];
    }
    if (begins) a.segments[1 + place] = p;
    __syncthreads();
  }
  if (threadIdx.x == 0) a.segments[0] = found;
}

// Queries of one relation and side, at sorted places; `parts` in shared memory.
struct ProductRun {
  const Number* matrix;
  bool transposed;
  unsigned count;
  const unsigned* parts;
};

// Column (transposed) or row `own` of the matrix times the vectors of a run.
template <class From>
VECC_KG_FN void multiply_run(const Bound& a, const ProductRun& run, unsigned first_own,
                             const From& from, Number* vectors, Number* tile,
                             Number (&sums)[kProductRows]) {
  for (unsigned begin = 0; begin < a.dim; begin += 32) {
    const unsigned count = smaller(32, a.dim - begin);
    __syncthreads();
    for (unsigned t = threadIdx.x; t < kProductRows * 32; t += kRowThreads) {
      const unsigned i = t / 32;
      vectors[t] = i < run.count && t % 32 < count ? from(run.parts[i])[begin + t % 32] : Number(0);
    }
    for (unsigned t = threadIdx.x; t < kRowThreads * 32; t += kRowThreads) {
      const unsigned own = run.transposed ? t % kRowThreads : t / 32;
      const unsigned k = run.transposed ? t / kRowThreads : t % 32;
      const bool is_there = first_own + own < a.dim && k < count;
      const unsigned long long row = run.transposed ? begin + k : first_own + own;
      const unsigned column = run.transposed ? first_own + own : begin + k;
      tile[own * 33 + k] = is_there ? run.matrix[row * a.dim + column] : Number(0);
    }
    __syncthreads();
    for (unsigned k = 0; k < 32; ++k) {
      const Number factor = tile[threadIdx.x * 33 + k];
#pragma unroll
      for (unsigned i = 0; i < kProductRows; ++i) {
        sums[i] = multiply_add(factor, vectors[i * 32 + k], sums[i]);
      }
    }
  }
}

// A block: kProductRows sorted queries, kRowThreads numbers of what comes out. Forward: queries of
// their entities; else what their derivatives pass on to those.
template <bool kForward>
VECC_KG_FN void multiply_matrices(const Bound& a) {
  __shared__ Number vectors[kProductRows * 32];
  __shared__ Number tile[kRowThreads * 33];
  __shared__ unsigned parts[kProductRows];
  if (a.state->failed != 0) return;
  const Batch batch(a, a.state->now);
  const unsigned columns = whole_units(a.dim, kRowThreads);
  const unsigned first_own = blockIdx.x % columns * kRowThreads;
  const unsigned own = first_own + threadIdx.x;
  unsigned place = blockIdx.x / columns * kProductRows;
  const unsigned end = smaller(place + kProductRows, batch.queries);
  const auto from = [&](unsigned part) -> const Number* {
    if (kForward) return entity(a, a.query_rows[part].anchor);
    return row_of(a.by_query, part, a.dim);
  };
  while (place < end) {
    const Key first = a.relation_keys.sorted[place];
    const bool tail = static_cast<unsigned>(first) < batch.tails;
    ProductRun run = {a.relations + (first >> 32) * a.dim * a.dim, kForward == tail, 0, parts};
    __syncthreads();
    while (place + run.count < end) {
      const Key key = a.relation_keys.sorted[place + run.count];
      const unsigned part = static_cast<unsigned>(key);
      if (key >> 32 != first >> 32 || (part < batch.tails) != tail) break;
      if (threadIdx.x == 0) parts[run.count] = part;
      ++run.count;
    }
    Number sums[kProductRows] = {};
    __syncthreads();
    multiply_run(a, run, first_own, from, vectors, tile, sums);
#pragma unroll
    for (unsigned i = 0; i < kProductRows; ++i) {
      if (i >= run.count || own >= a.dim) continue;
      row_of(kForward ? a.queries : a.by_anchor, parts[i], a.dim)[own] = sums[i];
    }
    place += run.count;
  }
}

// A block: kMatrixTile rows and columns of a relation's matrix: of h.Mt the derivative is h t^T.
VECC_KG_FN void move_matrices(const Bound& a) {
  constexpr unsigned kStage = 8;
  constexpr unsigned kOwn = kMatrixTile / 16;
  __shared__ Number heads[kStage * kMatrixTile];
  __shared__ Number answers[kStage * kMatrixTile];
  if (a.state->failed != 0) return;
  const Batch batch(a, a.state->now);
  const unsigned columns = whole_units(a.dim, kMatrixTile);
  const unsigned segment = blockIdx.x / (columns * columns);
  unsigned begin = 0;
  unsigned end = 0;
  unsigned row = segment;
  if constexpr (kMovesAll) {
    begin = lower_bound(a.relation_keys.sorted, 0, batch.queries, key_of(row));
    end = lower_bound(a.relation_keys.sorted, begin, batch.queries, key_of(row) | ~0u);
  } else {
    if (segment >= a.segments[0]) return;
    begin = a.segments[1 + segment];
    end = segment + 1 < a.segments[0] ? a.segments[2 + segment] : batch.queries;
    row = static_cast<unsigned>(a.relation_keys.sorted[begin] >> 32);
  }
  const unsigned first_row = blockIdx.x / columns % columns * kMatrixTile;
  const unsigned first_column = blockIdx.x % columns * kMatrixTile;
  const unsigned own_row = threadIdx.x / 16 * kOwn;
  const unsigned own_column = threadIdx.x % 16;  // and every 16th
  Number sums[kOwn][kOwn] = {};
  for (unsigned stage = begin; stage < end; stage += kStage) {
    __syncthreads();
    for (unsigned t = threadIdx.x; t < kStage * kMatrixTile; t += kPairThreads) {
      const unsigned place = stage + t / kMatrixTile;
      const unsigned i = first_row + t % kMatrixTile;
      const unsigned k = first_column + t % kMatrixTile;
      heads[t] = answers[t] = 0;
      if (place >= end) continue;
      const unsigned part = static_cast<unsigned>(a.relation_keys.sorted[place]);
      const Number* const x = entity(a, a.query_rows[part].anchor);
      const Number* const dq = row_of(a.by_query, part, a.dim);
      const bool tail = part < batch.tails;
      if (i < a.dim) heads[t] = tail ? x[i] : dq[i];
      if (k < a.dim) answers[t] = tail ? dq[k] : x[k];
    }
    __syncthreads();
    for (unsigned s = 0; s < kStage; ++s) {
#pragma unroll
      for (unsigned i = 0; i < kOwn; ++i) {
#pragma unroll
        for (unsigned j = 0; j < kOwn; ++j) {
          sums[i][j] = multiply_add(heads[s * kMatrixTile + own_row + i],
                                    answers[s * kMatrixTile + own_column + 16 * j], sums[i][j]);
        }
      }
    }
  }
  const RowRates<Number> rates = rates_of(a);
  const unsigned long long matrix = static_cast<unsigned long long>(row) * a.dim * a.dim;
  for (unsigned i = 0; i < kOwn && first_row + own_row + i < a.dim; ++i) {
    for (unsigned j = 0; j < kOwn; ++j) {
      const unsigned column = first_column + own_column + 16 * j;
      if (column >= a.dim) continue;
      const unsigned long long place =
          matrix + static_cast<unsigned long long>(first_row + own_row + i) * a.dim + column;
      Number gradient = sums[i][j];
      if constexpr (kRegularizes) {
        const Number w = a.relations[place];
        gradient +=
            static_cast<Number>(end - begin) * (penalty_factor(a, batch.queries, w * w) * w);
      }
      move(rates, a.relations, a.relation_states, place, gradient);
    }
  }
}

}  // namespace vecc_kernel
