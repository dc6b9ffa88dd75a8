// The first kernel of a step: its queries and negatives.
namespace vecc_kernel {

// q of a query, and where a score has one its bias.
VECC_KG_FN void make_query(const Bound& a, unsigned number, unsigned i, bool tail,
                           const QueryRows& rows) {
  const Number* const x = entity(a, rows.anchor);
  const Number* const r = row_of(a.relations, rows.relation, a.dim);
  Number* const q = row_of(a.queries, i, a.dim);
  const auto number_at = [&](unsigned k, Complex<Number> of_x, Complex<Number> of_r) {
    return query_number<kModel>(tail, drop_entity(a, number, i, k, of_x),
                                drop_relation(a, number, i, k, of_r));
  };
  if constexpr (kHasFours) {
    for (unsigned k = 4 * threadIdx.x; k < number_count(a); k += 4 * kRowThreads) {
      const Fours of_x = fours_of(x, k, a.dim);
      const Fours of_r = fours_of(r, k, a.dim);
      Fours of_q = {};
#pragma unroll
      for (unsigned n = 0; n < 4; ++n) of_q.set(n, number_at(k + n, of_x.at(n), of_r.at(n)));
      put_fours(q, k, a.dim, of_q);
    }
  } else {
    for (unsigned k = threadIdx.x; k < number_count(a); k += kRowThreads) {
      set_number(q, k, a.dim, number_at(k, number_of(x, k, a.dim), number_of(r, k, a.dim)));
    }
  }
  if constexpr (kModel == ScoreModel::TransF) {
    Number bias = 0;
    for (unsigned k = threadIdx.x; k < a.dim; k += kRowThreads) {
      bias += bias_number(tail, drop_entity(a, number, i, k, number_of(x, k, a.dim)).re,
                          drop_relation(a, number, i, k, number_of(r, k, a.dim)).re);
    }
    bias = block_sum<kRowThreads>(bias);
    if (threadIdx.x == 0) a.biases[i] = bias;
  }
}

// A block a query, and behind them blocks of negatives.
VECC_KG_FN void begin_query(const Bound& a, const Batch& batch, unsigned number, unsigned i) {
  const bool tail = i < batch.tails;
  const unsigned place = tail ? i : i - batch.tails;
  const unsigned triple = kSides == Sides::Mixed ? a.chosen[tail ? place : a.batch_size + place]
                                                 : a.order[batch.first + place];
  const unsigned* const t = a.triples + 3 * static_cast<unsigned long long>(triple);
  QueryRows rows = {tail ? t[0] : t[2], t[1], tail ? t[2] : t[0]};
  if (threadIdx.x == 0) {
    if constexpr (kLabels) rows.answer = draw_answer(a, number, i, KnownAnswers(a, rows, tail));
    a.query_rows[i] = rows;
    a.entity_keys.keys[i] = static_cast<Key>(rows.anchor) << 32 | i;
    a.entity_keys.keys[batch.queries + i] =
        static_cast<Key>(rows.answer) << 32 | (batch.queries + i);
    a.relation_keys.keys[i] = static_cast<Key>(rows.relation) << 32 | i;
    if (kModel != ScoreModel::TransF && !kHasPlanes) a.biases[i] = 0;
  }
  if constexpr (kHasPlanes) {
    begin_plane_query(a, number, i, tail, rows);
  } else if constexpr (!kHasMatrices && !kIsFormula) {
    make_query(a, number, i, tail, rows);
  }
}

VECC_KG_FN void begin_step(const Bound& a) {
  if (a.state->failed != 0) return;
  const unsigned number = a.state->next;
  const Batch batch(a, number);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    a.state->now = number;
    a.state->parts = batch.parts(a);
    a.state->rates = a.rates[number];
  }
  if (blockIdx.x >= a.most_queries) {
    draw_negative(a, batch, number, (blockIdx.x - a.most_queries) * kRowThreads + threadIdx.x);
  } else if (blockIdx.x < batch.queries) {
    begin_query(a, batch, number, blockIdx.x);
  }
}

}  // namespace vecc_kernel
