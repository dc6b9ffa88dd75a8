// What is derived by queries, passed on to their entities and relations.
namespace vecc_kernel {

// Number k of a query's derivative: all splits of its negatives.
VECC_KG_FN Complex<Number> query_sum(const Bound& a, const Number* rows, unsigned i, unsigned k) {
  Complex<Number> sum = number_of(row_of(rows, i, a.dim), k, a.dim);
  if constexpr (kIsFormula) return sum;
  for (unsigned split = 1; split < a.negative_splits; ++split) {
    const Complex<Number> more =
        number_of(row_of(rows, split * a.most_queries + i, a.dim), k, a.dim);
    sum = {sum.re + more.re, sum.im + more.im};
  }
  return sum;
}

// transh: passes the derivatives by a query's q, u and c on (src/kg/projected_query.cc), and those
// of its relation's constraint.
VECC_KG_FN void spread_plane(const Bound& a, const Batch& batch, unsigned number, unsigned i) {
  const QueryRows rows = a.query_rows[i];
  const Number* const r = row_of(a.relations, rows.relation, 2 * a.dim);
  const Number* const u = row_of(a.normals, i, a.dim);
  Number* const dq = row_of(a.by_query, i, a.dim);
  Number* const du = row_of(a.by_normal, i, a.dim);
  const Number sign = i < batch.tails ? Number(1) : Number(-1);
  const Number dc = sign * a.by_bias[i];
  const auto x = [&](unsigned k) {
    return drop_entity(a, number, i, k, {entity(a, rows.anchor)[k], Number(0)}).re;
  };
  PlaneSums sums = {Number(0), Number(0), Number(0)};
  Number u_dq = 0;
  Number u_x = 0;
  for (unsigned k = threadIdx.x; k < a.dim; k += kRowThreads) {
    const Number e =
        drop_entity(a, number, batch.queries + i, k, {entity(a, rows.answer)[k], Number(0)}).re;
    dq[k] =
        query_sum(a, a.by_query, i, k).re +
        by_query_number<kKind>(a.positives[i], Complex<Number>{row_of(a.queries, i, a.dim)[k], 0},
                               Complex<Number>{e, 0})
            .re;
    const Number by_pairs = kHasProductTiles ? du[k] : query_sum(a, a.by_normal, i, k).re;
    du[k] = by_pairs + a.positive_along[i] * e;
    u_dq += u[k] * dq[k];
    u_x += u[k] * x(k);
    sums.add(r[k], r[a.dim + k]);
  }
  u_dq = block_sum<kRowThreads>(u_dq);
  u_x = block_sum<kRowThreads>(u_x);
  sums = {block_sum<kRowThreads>(sums.along), block_sum<kRowThreads>(sums.w),
          block_sum<kRowThreads>(sums.r)};
  Number u_du = 0;
  for (unsigned k = threadIdx.x; k < a.dim; k += kRowThreads) {
    du[k] += dc * r[k] - u_x * dq[k] - u_dq * x(k);
    u_du += u[k] * du[k];
  }
  u_du = block_sum<kRowThreads>(u_du);
  Number slope = 0;  // of the constraint
  if (kConstrains && sums.excess() > 0) {
    slope = static_cast<Number>(2 * a.constraints / batch.queries) * (sums.along / sums.w / sums.r);
  }
  Number* const by_anchor = row_of(a.by_anchor, i, a.dim);
  Number* const by_r = row_of(a.by_relation, i, 2 * a.dim);
  const Number size = square_root(sums.w);
  for (unsigned k = threadIdx.x; k < a.dim; k += kRowThreads) {
    const Number w_k = r[a.dim + k];
    by_anchor[k] = dq[k] - u_dq * u[k];
    by_r[k] = sign * dq[k] + dc * u[k];
    by_r[a.dim + k] = (du[k] - u_du * u[k]) / size;
    if constexpr (kConstrains) {
      if (slope == 0) continue;
      by_r[k] += slope * (w_k - sums.along / sums.r * r[k]);
      by_r[a.dim + k] += slope * (r[k] - sums.along / sums.w * w_k);
    }
  }
}

// A user's score: its kernels pass on what is by q and e.
VECC_KG_FN void spread_formula(const Bound& a, const Batch& batch, unsigned i) {
  const unsigned row = a.query_rows[i].answer;
  Number* const by_query = row_of(a.by_query, i, a.width);
  const Number* const q = row_of(a.queries, i, a.width);
  for (unsigned k = threadIdx.x; k < a.width; k += kRowThreads) {
    if constexpr (kIsPairwise) {
      by_query[k] += row_of(a.by_positive, i, a.width)[k];
      continue;
    }
    const Complex<Number> query = {q[k], Number(0)};
    const Complex<Number> e = {answer_number(a, batch, i, row, k), Number(0)};
    by_query[k] += by_query_number<kKind>(a.positives[i], query, e).re;
    if constexpr (kMakesAnswers) {
      row_of(a.by_answer, i, a.width)[k] = by_answer_number<kKind>(a.positives[i], query, e).re;
    }
  }
}

// Of number k of a query what is passed on: the sum of its negatives' derivatives with its
// answer's, and what comes of that for its entity x and its relation r.
struct Spread {
  Complex<Number> by_query;
  Complex<Number> by_anchor;
  Complex<Number> by_relation;
};
// The numbers of a query's rows, as tables have them; `sum`: of its negatives' derivatives.
struct SpreadNumbers {
  Complex<Number> sum;
  Complex<Number> q;
  Complex<Number> e;
  Complex<Number> x;
  Complex<Number> r;
};
VECC_KG_FN Spread spread_number(const Bound& a, const Batch& batch, unsigned number, unsigned i,
                                unsigned k, const SpreadNumbers& of) {
  const bool tail = i < batch.tails;
  const Complex<Number> answer = drop_entity(a, number, batch.queries + i, k, of.e);
  const Complex<Number> more = answer_by_query(a.positives[i], of.q, answer);
  const Complex<Number> dq = {of.sum.re + more.re, of.sum.im + more.im};
  Spread to = {dq, {}, {}};
  if constexpr (!kHasMatrices) {
    const Number bias = a.by_bias[i];
    const Complex<Number> x = drop_entity(a, number, i, k, of.x);
    const Complex<Number> r = drop_relation(a, number, i, k, of.r);
    to.by_anchor = by_entity_number<kModel>(tail, r, dq, bias);
    to.by_relation =
        drop_relation(a, number, i, k, by_relation_number<kModel>(tail, x, r, dq, bias));
  }
  return to;
}

VECC_KG_FN void spread_numbers(const Bound& a, const Batch& batch, unsigned number, unsigned i) {
  const QueryRows rows = a.query_rows[i];
  const Number* const e = entity(a, rows.answer);
  const Number* const x = entity(a, rows.anchor);
  const Number* const r = row_of(a.relations, rows.relation, a.dim);
  for (unsigned k = threadIdx.x; k < number_count(a); k += kRowThreads) {
    SpreadNumbers of = {query_sum(a, a.by_query, i, k),
                        number_of(row_of(a.queries, i, a.dim), k, a.dim),
                        number_of(e, k, a.dim),
                        {},
                        {}};
    if constexpr (!kHasMatrices) {
      of.x = number_of(x, k, a.dim);
      of.r = number_of(r, k, a.dim);
    }
    const Spread to = spread_number(a, batch, number, i, k, of);
    if constexpr (kHasMatrices) {
      set_number(row_of(a.by_query, i, a.dim), k, a.dim, to.by_query);
    } else {
      set_number(row_of(a.by_anchor, i, a.dim), k, a.dim, to.by_anchor);
      set_number(row_of(a.by_relation, i, a.dim), k, a.dim, to.by_relation);
    }
  }
}
// Four numbers a thread, with one read of each row: all of them are on their way at once.
VECC_KG_FN void spread_fours(const Bound& a, const Batch& batch, unsigned number, unsigned i) {
  const QueryRows rows = a.query_rows[i];
  for (unsigned k = 4 * threadIdx.x; k < number_count(a); k += 4 * kRowThreads) {
    const Fours q = fours_of(row_of(a.queries, i, a.dim), k, a.dim);
    const Fours e = fours_of(entity(a, rows.answer), k, a.dim);
    Fours x = {};
    Fours r = {};
    if constexpr (!kHasMatrices) {
      x = fours_of(entity(a, rows.anchor), k, a.dim);
      r = fours_of(row_of(a.relations, rows.relation, a.dim), k, a.dim);
    }
    Fours sum = fours_of(row_of(a.by_query, i, a.dim), k, a.dim);
#pragma unroll 4
    for (unsigned split = 1; split < a.negative_splits; ++split) {
      sum.add(fours_of(row_of(a.by_query, split * a.most_queries + i, a.dim), k, a.dim));
    }
    Fours by_anchor = {};
    Fours by_relation = {};
#pragma unroll
    for (unsigned n = 0; n < 4; ++n) {
      const Spread to = spread_number(a, batch, number, i, k + n,
                                      {sum.at(n), q.at(n), e.at(n), x.at(n), r.at(n)});
      sum.set(n, to.by_query);
      by_anchor.set(n, to.by_anchor);
      by_relation.set(n, to.by_relation);
    }
    if constexpr (kHasMatrices) {
      put_fours(row_of(a.by_query, i, a.dim), k, a.dim, sum);
    } else {
      put_fours(row_of(a.by_anchor, i, a.dim), k, a.dim, by_anchor);
      put_fours(row_of(a.by_relation, i, a.dim), k, a.dim, by_relation);
    }
  }
}

// A block a query: its derivative with its answer's, passed on to its entity and relation.
VECC_KG_FN void spread(const Bound& a) {
  const unsigned number = a.state->now;
  const Batch batch(a, number);
  const unsigned i = blockIdx.x;
  if (i >= batch.queries) return;
  if constexpr (kHasPlanes) {
    spread_plane(a, batch, number, i);
  } else if constexpr (kIsFormula) {
    spread_formula(a, batch, i);
  } else if constexpr (kHasFours) {
    spread_fours(a, batch, number, i);
  } else {
    spread_numbers(a, batch, number, i);
  }
}

}  // namespace vecc_kernel
