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

VECC_KG_FN RowRates<Number> rates_of(const Bound& a) {
  const StepRates& step = a.state->rates;
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

// A row by its parts.
template <bool kIsEntity>
VECC_KG_FN void move_row(const Bound& a, const RowParts& of) {
  const RowRates<Number> rates = rates_of(a);
  const unsigned queries = of.queries;
  const Key* const keys = kIsEntity ? a.entity_keys.sorted : a.relation_keys.sorted;
  Number* const table = kIsEntity ? a.entities : a.relations;
  Number* const(&states)[2] = kIsEntity ? a.entity_states : a.relation_states;
  // Of transr's relations the vectors: matrices are moved by themselves.
  const unsigned long long width = kIsEntity || kHasSpaces ? a.dim : width_of_relation(a);
  const unsigned long long first = of.row * (kIsEntity ? a.dim : width_of_relation(a));
  const unsigned rows = kIsEntity ? a.entity_count : a.relation_count;
  Number constraint = 0;
  if constexpr (kConstrains && kIsEntity) constraint = length_factor(a, queries, table + first);
  for (unsigned k = threadIdx.x; k < (kComplex ? width / 2 : width); k += kRowThreads) {
    Moved re;
    Moved im;
    const unsigned long long place =
        kIsFormula ? number_place<kIsEntity>(a, rows, of.row, k) : first + k;
    re.read(table, states, place);
    if constexpr (kComplex) im.read(table, states, first + a.dim / 2 + k);
    const Complex<Number> own = {re.w, kComplex ? im.w : Number(0)};
    Number factor = constraint;
    if constexpr (kRegularizes) factor += penalty_factor(a, queries, square_of(own));
    Complex<Number> sum = {Number(0), Number(0)};
#pragma unroll 4
    for (unsigned p = of.begin; p < of.end; ++p) {
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
