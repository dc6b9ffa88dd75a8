// Rows moved four numbers a thread, where rows are such: move_row() of all fixed scores with one
// read of each part. Then which rows a step moves.
namespace vecc_kernel {

// Four numbers side by side, of complex ones both parts.
struct Fours {
  Four re;
  Four im;

  __device__ __forceinline__ Complex<Number> at(unsigned n) const { return {re.at[n], im.at[n]}; }
  __device__ __forceinline__ void set(unsigned n, Complex<Number> x) {
    re.at[n] = x.re;
    im.at[n] = x.im;
  }
  __device__ __forceinline__ void add(const Fours& x) {
#pragma unroll
    for (unsigned n = 0; n < 4; ++n) {
      re.at[n] += x.re.at[n];
      im.at[n] += x.im.at[n];
    }
  }
};
VECC_KG_FN Fours fours_of(const Number* row, unsigned long long k, unsigned dim) {
  return {four_of(row + k), kComplex ? four_of(row + dim / 2 + k) : Four{}};
}
VECC_KG_FN void put_fours(Number* row, unsigned long long k, unsigned dim, const Fours& x) {
  *reinterpret_cast<Four*>(row + k) = x.re;
  if constexpr (kComplex) *reinterpret_cast<Four*>(row + dim / 2 + k) = x.im;
}

// Where what is read of a part of an entity's gradient, or a relation's, lies.
template <bool kIsEntity>
VECC_KG_FN const Number* part_row(const Bound& a, unsigned queries, unsigned part,
                                  unsigned long long width) {
  if constexpr (!kIsEntity) return a.by_relation + part * width;
  const bool is_negative = part >= 2 * queries;
  const bool is_anchor = part < queries;
  const Number* const of_answers = kHasSpaces ? a.by_answer : a.queries;
  const Number* const rows = is_anchor ? a.by_anchor : is_negative ? a.by_negative : of_answers;
  return row_of(rows, is_anchor ? part : is_negative ? part - 2 * queries : part - queries, a.dim);
}

// What entity_part() makes of it; `own`: the entity's numbers.
VECC_KG_FN void finish_entity_part(const Bound& a, unsigned queries, unsigned part, unsigned k,
                                   const Fours& own, Fours& x) {
  if (part >= queries && part < 2 * queries && !kHasSpaces) {
    const unsigned i = part - queries;
    const Number c = a.positives[i];
#pragma unroll
    for (unsigned n = 0; n < 4; ++n) {
      Complex<Number> by =
          answer_by_entity(c, x.at(n), drop_entity(a, a.state->now, part, k + n, own.at(n)));
      if constexpr (kHasPlanes) {
        by.re += a.positive_along[i] * row_of(a.normals, i, a.dim)[k + n];
      }
      x.set(n, by);
    }
  }
  if (part >= 2 * queries && !kHasSpaces) {
    const unsigned long long step =
        static_cast<unsigned long long>(a.most_chunks) * a.negative_count * a.dim;
    const Number* const first = row_of(a.by_negative, part - 2 * queries, a.dim);
#pragma unroll 4
    for (unsigned more = 1; more < a.query_parts; ++more) {
      x.add(fours_of(first + more * step, k, a.dim));
    }
  }
  if constexpr (kDropsEntities) {
    for (unsigned n = 0; n < 4; ++n) {
      x.set(n, drop_entity(a, a.state->now, part, k + n, x.at(n)));
    }
  }
}

// The sum of a row's parts from number k on, in their order. Several are read at once.
template <bool kIsEntity>
VECC_KG_FN Fours sum_parts(const Bound& a, const RowParts& of, unsigned long long width, unsigned k,
                           const Fours& own, const Number (&factors)[4]) {
  constexpr unsigned kAtOnce = RowParts::kFirst;
  const Key* const keys = kIsEntity ? a.entity_keys.sorted : a.relation_keys.sorted;
  const unsigned queries = of.queries;
  const unsigned end = of.end;
  Fours sum = {};
  for (unsigned first = of.begin; first < end; first += kAtOnce) {
    unsigned parts[kAtOnce];
    Fours read[kAtOnce];
#pragma unroll
    for (unsigned n = 0; n < kAtOnce; ++n) {
      parts[n] = first == of.begin ? of.first[n]
                                   : static_cast<unsigned>(keys[smaller(first + n, end - 1)]);
    }
#pragma unroll
    for (unsigned n = 0; n < kAtOnce; ++n) {
      if (first + n >= end) continue;
      read[n] = fours_of(part_row<kIsEntity>(a, queries, parts[n], width), k, a.dim);
    }
#pragma unroll
    for (unsigned n = 0; n < kAtOnce; ++n) {
      if (first + n >= end) continue;
      if constexpr (kIsEntity) finish_entity_part(a, queries, parts[n], k, own, read[n]);
      sum.add(read[n]);
      if constexpr (kRegularizes || (kConstrains && kIsEntity)) {
        if (kIsEntity && parts[n] >= 2 * queries) continue;
        for (unsigned m = 0; m < 4; ++m) {
          const Complex<Number> x = own.at(m);
          const Complex<Number> before = sum.at(m);
          sum.set(m, {before.re + factors[m] * x.re, before.im + factors[m] * x.im});
        }
      }
    }
  }
  return sum;
}

template <bool kIsEntity>
VECC_KG_FN void move_row_fours(const Bound& a, const RowParts& of) {
  const RowRates<Number> rates = rates_of(a);
  const unsigned queries = of.queries;
  Number* const(&states)[2] = kIsEntity ? a.entity_states : a.relation_states;
  const unsigned long long width = kIsEntity || kHasSpaces ? a.dim : width_of_relation(a);
  const unsigned long long first = of.row * (kIsEntity ? a.dim : width_of_relation(a));
  Number* const table = (kIsEntity ? a.entities : a.relations) + first;
  Number constraint = 0;
  if constexpr (kConstrains && kIsEntity) constraint = length_factor(a, queries, table);
  for (unsigned k = 4 * threadIdx.x; k < (kComplex ? width / 2 : width); k += 4 * kRowThreads) {
    Fours w = fours_of(table, k, a.dim);
    Fours of_states[2] = {};
    if (kOptimizer != RowOptimizer::Sgd) of_states[0] = fours_of(states[0] + first, k, a.dim);
    if (kOptimizer == RowOptimizer::Adam) of_states[1] = fours_of(states[1] + first, k, a.dim);
    Number factors[4];
#pragma unroll
    for (unsigned n = 0; n < 4; ++n) {
      factors[n] = constraint;
      if constexpr (kRegularizes) factors[n] += penalty_factor(a, queries, square_of(w.at(n)));
    }
    const Fours sum = sum_parts<kIsEntity>(a, of, width, k, w, factors);
#pragma unroll
    for (unsigned n = 0; n < 4; ++n) {
      move_number<kOptimizer>(rates, sum.re.at[n], w.re.at[n], of_states[0].re.at[n],
                              of_states[1].re.at[n]);
      if constexpr (kComplex) {
        move_number<kOptimizer>(rates, sum.im.at[n], w.im.at[n], of_states[0].im.at[n],
                                of_states[1].im.at[n]);
      }
    }
    put_fours(table, k, a.dim, w);
    if (kOptimizer != RowOptimizer::Sgd) put_fours(states[0] + first, k, a.dim, of_states[0]);
    if (kOptimizer == RowOptimizer::Adam) put_fours(states[1] + first, k, a.dim, of_states[1]);
  }
}

// A block a sorted key: the row's, if it is the row's first. With kMovesAll a block a row.
template <bool kIsEntity>
VECC_KG_FN void move_rows(const Bound& a, unsigned block) {
  const KeyList& list = kIsEntity ? a.entity_keys : a.relation_keys;
  const EpochState& state = *a.state;
  RowParts parts;
  parts.queries = Batch(a, state.now).queries;
  const unsigned count = kIsEntity ? state.parts : parts.queries;
  bool moves = (state.failed == 0) & (count > 0);
  if constexpr (kMovesAll) {
    parts.row = block;
    parts.begin = lower_bound(list.sorted, 0, count, key_of(block));
  } else {
    const unsigned last = list.most - 1;
    parts.row = static_cast<unsigned>(list.sorted[smaller(block, last)] >> 32);
    parts.begin = block;
    const Key before = list.sorted[smaller(block > 0 ? block - 1 : 0, last)];
    moves &= (block < count) & ((block == 0) | (before >> 32 != parts.row));
  }
  if (!parts.find(list, count, moves)) return;
  if constexpr (kHasFours && !kIsFormula) {
    move_row_fours<kIsEntity>(a, parts);
  } else {
    move_row<kIsEntity>(a, parts);
  }
}

// Relations first: they have most parts.
VECC_KG_FN void move_all_rows(const Bound& a) {
  constexpr bool kMovesRelations = !kHasMatrices || kHasSpaces;
  const unsigned relations = kMovesAll ? a.relation_count : a.relation_keys.most;
  const unsigned before = kMovesRelations ? relations : 0;
  if (blockIdx.x >= before) {
    move_rows<true>(a, blockIdx.x - before);
  } else if constexpr (kMovesRelations) {
    move_rows<false>(a, blockIdx.x);
  }
}

}  // namespace vecc_kernel
