// A user's score (docs/knowledge-graphs.md): kernels of their own make q and e of it and pass
// derivatives on (src/kg/train/cuda/formula_step.h). What these read: rows and places.
#if VECC_KG_IS_FORMULA
namespace vecc_kernel {

VECC_KG_FN void set_range(const Bound& a, RangeNumber number, unsigned begin, unsigned end) {
  a.ranges[2 * number] = begin;
  a.ranges[2 * number + 1] = end;
}
// Sum `place` of kSharedSums, or of all, of rows begin .. end - 1.
VECC_KG_FN void set_sum(RowSpan& span, unsigned place, unsigned begin, unsigned end) {
  constexpr unsigned kLeast = 8;  // rows of a sum
  const unsigned count = end - begin;
  const unsigned members = whole_units(count, kSharedSums);
  const unsigned rows = place == kSharedSums ? count : members > kLeast ? members : kLeast;
  const unsigned first = place == kSharedSums ? 0 : smaller(count, place * rows);
  span = {place % kSharedSums, smaller(rows, count - first), begin + first, begin + first};
}

// A thread a query, a negative and a sum.
VECC_KG_FN void find_slots(const Bound& a) {
  if (a.state->failed != 0) return;
  const Batch batch(a, a.state->now);
  const unsigned i = blockIdx.x * kRowThreads + threadIdx.x;
  const unsigned answers = a.most_queries;
  const unsigned negatives = 2 * a.most_queries;
  const unsigned tail_negatives = batch.tail_chunks * a.negative_count;
  const unsigned all_negatives = batch.chunks * a.negative_count;
  if (i < batch.queries) {
    const QueryRows rows = a.query_rows[i];
    const unsigned long long first = i * static_cast<unsigned long long>(a.negative_count);
    a.slot_rows[i] = kDropsEntities ? i : rows.anchor;
    a.slot_rows[answers + i] = kDropsEntities ? answers + i : rows.answer;
    a.relation_rows[i] = kDropsRelations ? i : rows.relation;
    if constexpr (kIsPairwise) {
      const unsigned chunk = batch.chunk_of(a, i);
      a.query_spans[i] = {i, a.negative_count,
                          chunk * static_cast<unsigned long long>(a.negative_count), first};
    }
  }
  if (i < all_negatives) {
    a.slot_rows[negatives + i] = kDropsEntities ? negatives + i : a.negatives[i];
    if constexpr (kIsPairwise) {
      const ChunkQueries queries(a, batch, i / a.negative_count);
      a.negative_spans[i] = {i, queries.count, queries.first,
                             i * static_cast<unsigned long long>(a.chunk)};
    }
  }
  if (i < kSumSpans) {
    set_sum(a.sum_spans[kTailQueries * kSumSpans + i], i, 0, batch.tails);
    set_sum(a.sum_spans[kHeadQueries * kSumSpans + i], i, batch.tails, batch.queries);
    set_sum(a.sum_spans[kTailNegatives * kSumSpans + i], i, 0, tail_negatives);
    set_sum(a.sum_spans[kHeadNegatives * kSumSpans + i], i, tail_negatives, all_negatives);
  }
  if (i != 0) return;
  set_range(a, kTailQueries, 0, batch.tails);
  set_range(a, kHeadQueries, batch.tails, batch.queries);
  set_range(a, kTailNegatives, 0, tail_negatives);
  set_range(a, kHeadNegatives, tail_negatives, all_negatives);
}

// A block a slot: its row as dropout leaves it, and a query's relation.
VECC_KG_FN void drop_slots(const Bound& a) {
  if (a.state->failed != 0) return;
  const unsigned number = a.state->now;
  const Batch batch(a, number);
  const unsigned slot = blockIdx.x;
  const unsigned most = a.most_queries;
  const bool is_query = slot < most;
  const bool is_negative = slot >= 2 * most;
  const unsigned i = is_query ? slot : is_negative ? slot - 2 * most : slot - most;
  if (i >= (is_negative ? batch.chunks * a.negative_count : batch.queries)) return;
  if constexpr (kDropsEntities) {
    const unsigned row = is_query      ? a.query_rows[i].anchor
                         : is_negative ? a.negatives[i]
                                       : a.query_rows[i].answer;
    const unsigned part = is_query ? i : is_negative ? 2 * batch.queries + i : batch.queries + i;
    const unsigned long long slots =
        2ull * most + static_cast<unsigned long long>(a.most_chunks) * a.negative_count;
    for (unsigned k = threadIdx.x; k < a.dim; k += kRowThreads) {
      a.dropped[number_place<true>(a, slots, slot, k)] =
          a.entities[number_place<true>(a, a.entity_count, row, k)] *
          entity_keep(a, number, part, k);
    }
  }
  if (!kDropsRelations || !is_query) return;
  const unsigned row = a.query_rows[i].relation;
  for (unsigned k = threadIdx.x; k < a.relation_width; k += kRowThreads) {
    a.dropped_relations[number_place<false>(a, most, i, k)] =
        a.relations[number_place<false>(a, a.relation_count, row, k)] *
        relation_keep(a, number, i, a.relation_width, k);
  }
}

// Derivatives that no kernel writes are 0.
VECC_KG_FN void clear_rows(const Bound& a) {
  const unsigned long long threads = static_cast<unsigned long long>(kClearBlocks) * kRowThreads;
  const unsigned long long first = blockIdx.x * static_cast<unsigned long long>(kRowThreads);
  const unsigned long long queries = a.most_queries;
  const unsigned long long negatives =
      static_cast<unsigned long long>(a.most_chunks) * a.negative_count;
  const auto clear = [&](Number* numbers, unsigned long long count) {
    for (unsigned long long k = first + threadIdx.x; k < count; k += threads) numbers[k] = 0;
  };
  clear(a.by_anchor, queries * a.dim);
  clear(a.by_relation, queries * a.relation_width);
  if (!kMakesAnswers) return;
  clear(a.by_answer_rows, queries * a.dim);
  clear(a.by_negative_rows, negatives * a.dim);
}

// A block: kTile queries of a chunk with kTile negatives: derivatives by scores, by negative.
VECC_KG_FN void transpose_scores(const Bound& a) {
  __shared__ Number tile[kTile * (kTile + 1)];
  const unsigned columns = whole_units(a.negative_count, kTile);
  const unsigned rows = whole_units(a.chunk, kTile);
  const unsigned chunk = blockIdx.x / (columns * rows);
  const Batch batch(a, a.state->now);
  const ChunkQueries queries(a, batch, chunk);
  const unsigned first_row = blockIdx.x / columns % rows * kTile;
  const unsigned first_column = blockIdx.x % columns * kTile;
  if (first_row >= queries.count) return;
  const unsigned lane = threadIdx.x % kTile;
  for (unsigned line = threadIdx.x / kTile; line < kTile; line += kPairThreads / kTile) {
    if (first_row + line >= queries.count || first_column + lane >= a.negative_count) continue;
    const unsigned long long query = queries.first + first_row + line;
    tile[line * (kTile + 1) + lane] = a.scores[query * a.negative_count + first_column + lane];
  }
  __syncthreads();
  for (unsigned line = threadIdx.x / kTile; line < kTile; line += kPairThreads / kTile) {
    if (first_row + lane >= queries.count || first_column + line >= a.negative_count) continue;
    const unsigned long long negative =
        static_cast<unsigned long long>(chunk) * a.negative_count + first_column + line;
    a.columns[negative * a.chunk + first_row + lane] = tile[lane * (kTile + 1) + line];
  }
}

// A thread a number that all triples share: its derivatives added up in one order.
VECC_KG_FN void move_shared(const Bound& a) {
  if (a.state->failed != 0) return;
  const unsigned k = blockIdx.x * kRowThreads + threadIdx.x;
  if (k >= a.shared_width) return;
  Moved moved;
  moved.read(a.shared, a.shared_states, k);
  Number sum = 0;
  for (unsigned p = 0; p < a.shared_part_count; ++p) {
    const SharedPart part = a.shared_parts[p];
    if (k < part.begin || k - part.begin >= part.size) continue;
    const Number* const from = part.from + (k - part.begin);
    for (unsigned i = 0; i < part.count; ++i) {
      sum += from[i * static_cast<unsigned long long>(part.size)];
    }
  }
  moved.move(rates_of(a), sum);
  moved.write(a.shared, a.shared_states, k);
}

}  // namespace vecc_kernel
#endif
