// Gradients of rows, and the rows moved by them: each row that has a part by one block, its parts
// added in ascending order.
namespace vecc_kernel {

// Of the pair of a query and its answer, number by number of an embedding.
VECC_KG_FN Complex<Number> answer_by_query(Number c, Complex<Number> q, Complex<Number> e) {
  if constexpr (kComplex && !kPairs) {
    const Complex<Number> re = by_query_number<kKind>(c, Complex<Number>{q.re, 0}, {e.re, 0});
    const Complex<Number> im = by_query_number<kKind>(c, Complex<Number>{q.im, 0}, {e.im, 0});
    return {re.re, im.re};
  }
  return by_query_number<kKind>(c, q, e);
}
VECC_KG_FN Complex<Number> answer_by_entity(Number c, Complex<Number> q, Complex<Number> e) {
  if constexpr (kComplex && !kPairs) {
    const Complex<Number> re = by_answer_number<kKind>(c, Complex<Number>{q.re, 0}, {e.re, 0});
    const Complex<Number> im = by_answer_number<kKind>(c, Complex<Number>{q.im, 0}, {e.im, 0});
    return {re.re, im.re};
  }
  return by_answer_number<kKind>(c, q, e);
}

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
    du[k] = query_sum(a, a.by_normal, i, k).re + a.positive_along[i] * e;
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

// A block a query: its derivative with its answer's, passed on to its entity and relation.
VECC_KG_FN void spread(const Bound& a) {
  const unsigned number = a.state->now;
  const Batch batch(a, number);
  const unsigned i = blockIdx.x;
  if (i >= batch.queries) return;
  if constexpr (kHasPlanes) return spread_plane(a, batch, number, i);
  if constexpr (kIsFormula) return spread_formula(a, batch, i);
  const bool tail = i < batch.tails;
  const QueryRows rows = a.query_rows[i];
  const Number c = a.positives[i];
  const Number* const q = row_of(a.queries, i, a.dim);
  const Number* const e = entity(a, rows.answer);
  Number* const by_query = row_of(a.by_query, i, a.dim);
  for (unsigned k = threadIdx.x; k < number_count(a); k += kRowThreads) {
    Complex<Number> dq = query_sum(a, a.by_query, i, k);
    const Complex<Number> answer =
        drop_entity(a, number, batch.queries + i, k, number_of(e, k, a.dim));
    const Complex<Number> more = answer_by_query(c, number_of(q, k, a.dim), answer);
    dq = {dq.re + more.re, dq.im + more.im};
    if constexpr (kHasMatrices) {
      set_number(by_query, k, a.dim, dq);
    } else {
      const Complex<Number> x =
          drop_entity(a, number, i, k, number_of(entity(a, rows.anchor), k, a.dim));
      const Complex<Number> r = drop_relation(
          a, number, i, k, number_of(row_of(a.relations, rows.relation, a.dim), k, a.dim));
      set_number(row_of(a.by_anchor, i, a.dim), k, a.dim,
                 by_entity_number<kModel>(tail, r, dq, a.by_bias[i]));
      set_number(
          row_of(a.by_relation, i, a.dim), k, a.dim,
          drop_relation(a, number, i, k, by_relation_number<kModel>(tail, x, r, dq, a.by_bias[i])));
    }
  }
}

VECC_KG_FN RowRates<Number> rates_of(const Bound& a) {
  const StepRates step = a.rates[a.state->now];
  return {static_cast<Number>(step.rate),        static_cast<Number>(a.epsilon),
          static_cast<Number>(a.beta1),          static_cast<Number>(a.beta2),
          static_cast<Number>(step.correction1), static_cast<Number>(step.correction2)};
}

// A table's number at a place with what the optimizer keeps of it: read before its gradient is
// known, so that memory's time passes beside that of the gradient.
struct Moved {
  Number w = 0;
  Number first = 0;
  Number second = 0;

  __device__ __forceinline__ void read(const Number* table, Number* const (&states)[2],
                                       unsigned long long place) {
    w = table[place];
    first = kOptimizer != RowOptimizer::Sgd ? states[0][place] : Number(0);
    second = kOptimizer == RowOptimizer::Adam ? states[1][place] : Number(0);
  }
  __device__ __forceinline__ void move(const RowRates<Number>& rates, Number gradient) {
    move_number<kOptimizer>(rates, gradient, w, first, second);
  }
  __device__ __forceinline__ void write(Number* table, Number* const (&states)[2],
                                        unsigned long long place) const {
    table[place] = w;
    if (kOptimizer != RowOptimizer::Sgd) states[0][place] = first;
    if (kOptimizer == RowOptimizer::Adam) states[1][place] = second;
  }
};

// Times x, what regularizes each query adds to the derivative by x.
VECC_KG_FN Number penalty_factor(const Bound& a, unsigned queries, Number square) {
  const double scale = 1.0 / queries;
  return penalty_slope(static_cast<Number>(2 * a.l2 * scale), static_cast<Number>(3 * a.n3 * scale),
                       square);
}

// A user's score: likewise, by what the step reads.
VECC_KG_FN Number formula_part(const Bound& a, unsigned queries, unsigned part, unsigned k,
                               Number own) {
  if (part < queries) return a.by_anchor[number_place<true>(a, a.most_queries, part, k)];
  if (part >= 2 * queries) {
    const unsigned place = part - 2 * queries;
    if (!kMakesAnswers) return row_of(a.by_negative, place, a.width)[k];
    const unsigned long long rows =
        static_cast<unsigned long long>(a.most_chunks) * a.negative_count;
    return a.by_negative_rows[number_place<true>(a, rows, place, k)];
  }
  const unsigned i = part - queries;
  if (kMakesAnswers) return a.by_answer_rows[number_place<true>(a, a.most_queries, i, k)];
  const Complex<Number> e = drop_entity(a, a.state->now, part, k, Complex<Number>{own, Number(0)});
  return by_answer_number<kKind>(a.positives[i],
                                 Complex<Number>{row_of(a.queries, i, a.width)[k], Number(0)}, e)
      .re;
}
// Number k of a relation's, of a query.
VECC_KG_FN Complex<Number> relation_part(const Bound& a, unsigned query, unsigned long long width,
                                         unsigned k) {
  if constexpr (!kIsFormula) return number_of(a.by_relation + query * width, k, a.dim);
  const Number by = a.by_relation[number_place<false>(a, a.most_queries, query, k)];
  if constexpr (!kDropsRelations) return {by, Number(0)};
  return {by * relation_keep(a, a.state->now, query, width, k), Number(0)};
}

// Number k of the derivative by negative `place`; transr has added its parts up.
VECC_KG_FN Complex<Number> negative_part(const Bound& a, unsigned place, unsigned k) {
  const Number* const first = row_of(a.by_negative, place, a.dim);
  Complex<Number> sum = number_of(first, k, a.dim);
  if constexpr (kHasSpaces) return sum;
  const unsigned long long step =
      static_cast<unsigned long long>(a.most_chunks) * a.negative_count * a.dim;
  for (unsigned part = 1; part < a.query_parts; ++part) {
    const Complex<Number> more = number_of(first + part * step, k, a.dim);
    sum = {sum.re + more.re, sum.im + more.im};
  }
  return sum;
}

// Number k of part `part` of an entity's gradient, `own` being the entity's number.
VECC_KG_FN Complex<Number> entity_part(const Bound& a, unsigned queries, unsigned part, unsigned k,
                                       Complex<Number> own) {
  Complex<Number> by = {Number(0), Number(0)};
  if constexpr (kIsFormula) {
    by.re = formula_part(a, queries, part, k, own.re);
  } else if (part < queries) {
    by = number_of(row_of(a.by_anchor, part, a.dim), k, a.dim);
  } else if (part >= 2 * queries) {
    by = negative_part(a, part - 2 * queries, k);
  } else if constexpr (kHasSpaces) {
    by.re = row_of(a.by_answer, part - queries, a.dim)[k];
  } else {
    const unsigned i = part - queries;
    by = answer_by_entity(a.positives[i], number_of(row_of(a.queries, i, a.dim), k, a.dim),
                          drop_entity(a, a.state->now, part, k, own));
    if constexpr (kHasPlanes) by.re += a.positive_along[i] * row_of(a.normals, i, a.dim)[k];
  }
  return drop_entity(a, a.state->now, part, k, by);
}

// transh: times an entity, what each query adds to the derivative by it for being too long.
VECC_KG_FN Number length_factor(const Bound& a, unsigned queries, const Number* e) {
  Number square = 0;
  for (unsigned k = threadIdx.x; k < a.dim; k += kRowThreads) square += e[k] * e[k];
  square = block_sum<kRowThreads>(square);
  return square > 1 ? static_cast<Number>(2 * a.constraints / queries) : Number(0);
}

// A row by the parts that sorted keys begin .. end - 1 have.
template <bool kIsEntity>
VECC_KG_FN void move_row(const Bound& a, unsigned row, unsigned begin, unsigned end) {
  const unsigned queries = Batch(a, a.state->now).queries;
  const Key* const keys = kIsEntity ? a.entity_keys.sorted : a.relation_keys.sorted;
  Number* const table = kIsEntity ? a.entities : a.relations;
  const RowRates<Number> rates = rates_of(a);
  Number* const(&states)[2] = kIsEntity ? a.entity_states : a.relation_states;
  // Of transr's relations the vectors: matrices are moved by themselves.
  const unsigned long long width = kIsEntity || kHasSpaces ? a.dim : width_of_relation(a);
  const unsigned long long first = row * (kIsEntity ? a.dim : width_of_relation(a));
  const unsigned rows = kIsEntity ? a.entity_count : a.relation_count;
  Number constraint = 0;
  if constexpr (kConstrains && kIsEntity) constraint = length_factor(a, queries, table + first);
  for (unsigned k = threadIdx.x; k < (kComplex ? width / 2 : width); k += kRowThreads) {
    Moved re;
    Moved im;
    const unsigned long long place =
        kIsFormula ? number_place<kIsEntity>(a, rows, row, k) : first + k;
    re.read(table, states, place);
    if constexpr (kComplex) im.read(table, states, first + a.dim / 2 + k);
    const Complex<Number> own = {re.w, kComplex ? im.w : Number(0)};
    Number factor = constraint;
    if constexpr (kRegularizes) factor += penalty_factor(a, queries, square_of(own));
    Complex<Number> sum = {Number(0), Number(0)};
#pragma unroll 4
    for (unsigned p = begin; p < end; ++p) {
      const unsigned part = static_cast<unsigned>(keys[p]);
      const Complex<Number> more =
          kIsEntity ? entity_part(a, queries, part, k, own) : relation_part(a, part, width, k);
      sum = {sum.re + more.re, sum.im + more.im};
      if constexpr (kRegularizes || (kConstrains && kIsEntity)) {
        if (kIsEntity && part >= 2 * queries) continue;
        sum = {sum.re + factor * own.re, sum.im + factor * own.im};
      }
    }
    re.move(rates, sum.re);
    re.write(table, states, place);
    if constexpr (kComplex) {
      im.move(rates, sum.im);
      im.write(table, states, first + a.dim / 2 + k);
    }
  }
}

}  // namespace vecc_kernel
