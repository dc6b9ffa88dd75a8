// The loss of each query, and its derivatives by its scores: a warp a query.
namespace vecc_kernel {

// transh: what the angle between a relation's vector and its plane is of.
struct PlaneSums {
  Number along;  // w.r
  Number w;      // |w|^2
  Number r;      // |r|^2

  __device__ __forceinline__ void add(Number r_k, Number w_k) {
    along += w_k * r_k;
    w += w_k * w_k;
    r += r_k * r_k;
  }
  // The squared sine above what costs nothing.
  __device__ __forceinline__ double excess() const {
    const double square = r > 0 ? static_cast<double>(along / w * (along / r)) : 0;
    return larger(0.0, square - kFreeSine * kFreeSine);
  }
};

// In one order, the same for all lanes.
template <class T>
VECC_KG_FN T warp_sum(T value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  return value;
}
VECC_KG_FN Number warp_largest(Number value) {
  for (int step = 16; step > 0; step /= 2) {
    value = larger(value, __shfl_xor_sync(~0u, value, step));
  }
  return value;
}

// A lane's part of |x|^2.
VECC_KG_FN Number lane_square(const Number* x, unsigned dim, unsigned lane) {
  Number sum = 0;
  for (unsigned k = lane; k < dim; k += 32) sum = multiply_add(x[k], x[k], sum);
  return sum;
}

// What is over all negatives of a query.
struct NegativeTotals {
  Number count;
  Number largest;
  Number sum;  // of weight_term(), of softmax with the positive's
};

// Number k of a query's answer as the step reads it.
VECC_KG_FN Number answer_number(const Bound& a, const Batch& batch, unsigned i, unsigned row,
                                unsigned k) {
  if constexpr (kMakesAnswers) return row_of(a.answers, i, a.width)[k];
  const Number e = entity(a, row)[k];
  if constexpr (!kDropsEntities) return e;
  return e * entity_keep(a, a.state->now, batch.queries + i, k);
}

constexpr unsigned kHeldScores = 8;  // of a lane

// A lane's share of a query's negatives: in memory, or kHeld in registers, which fewer passes over
// memory need.
template <unsigned kHeld>
struct QueryScores {
  Number* scores;
  Number* along;        // transh
  const Number* norms;  // transr
  unsigned count;
  unsigned lane;
  Number positive;
  Number c;  // of projected_query.h: transh's c, transr's b
  Number along_of_positive;
  Number held[kHeld > 0 ? kHeld : 1];

  // visit(j, score) of each; it may set the score.
  template <class Visit>
  __device__ __forceinline__ void each(const Visit& visit) {
    if constexpr (kHeld > 0) {
#pragma unroll
      for (unsigned n = 0; n < kHeld; ++n) {
        if (lane + 32 * n < count) visit(lane + 32 * n, held[n]);
      }
    } else {
      for (unsigned j = lane; j < count; j += 32) visit(j, scores[j]);
    }
  }
  __device__ __forceinline__ void read() {
    if constexpr (kHeld == 0) return;
    each([&](unsigned j, Number& score) { score = scores[j]; });
  }
  __device__ __forceinline__ void write() {
    if constexpr (kHeld == 0) return;
    each([&](unsigned j, Number& score) { scores[j] = score; });
  }

  // What scores have beside their sum: transh, transr; no tile has looked for a NaN.
  __device__ __forceinline__ void complete() {
    each([&](unsigned j, Number& score) {
      const Number more = kHasPlanes   ? plane_term(along[j], c)
                          : kHasSpaces ? c - norms[j]
                                       : Number(0);
      score += more;
      if (!(score == score)) score = no_negative();
    });
  }
  // Score j becomes the derivative by its sum; returns what transh's c gets.
  __device__ __forceinline__ Number put(unsigned j, Number by_score, Number& score) const {
    score = by_sum<kKind>(by_score, score);
    if constexpr (!kHasPlanes) return Number(0);
    const Number before = along[j];
    along[j] = 2 * (before - c) * by_score;
    return -2 * before * by_score;
  }
  // Takes out what is no negative.
  __device__ __forceinline__ void mark(const Bound& a, const Batch& batch, unsigned i,
                                       const QueryRows& rows) {
    const unsigned* const negatives =
        a.negatives + static_cast<unsigned long long>(batch.chunk_of(a, i)) * count;
    if constexpr (kFilters) {
      const KnownAnswers known(a, rows, i < batch.tails);
      each([&](unsigned j, Number& score) {
        if (negatives[j] == rows.answer || known.has(rows, negatives[j])) score = no_negative();
      });
    } else {
      each([&](unsigned j, Number& score) {
        if (negatives[j] == rows.answer) score = no_negative();
      });
    }
  }
  __device__ __forceinline__ NegativeTotals totals(Number temperature) {
    NegativeTotals t = {Number(0), no_negative(), Number(0)};
    each([&](unsigned, const Number& score) {
      if (score != no_negative()) t.count += 1;
      t.largest = larger(t.largest, score);
    });
    t.count = warp_sum(t.count);
    t.largest = warp_largest(t.largest);
    if constexpr (kLoss == TripleLoss::Softmax && !kLabels) {
      t.largest = larger(t.largest, positive);
    }
    each([&](unsigned, const Number& score) {
      if (score != no_negative()) t.sum += weight_term(temperature, score, t.largest);
    });
    t.sum = warp_sum(t.sum);
    if constexpr (kLoss == TripleLoss::Softmax && !kLabels) {
      t.sum += exponential(positive - t.largest);
    }
    return t;
  }
};

// A query's loss; scores become the derivatives by the sums. `by_positive` is set.
template <unsigned kHeld>
VECC_KG_FN double differentiate(const Bound& a, QueryScores<kHeld>& query, Number scale,
                                Number& by_positive, Number& by_bias, Number& slope) {
  const Number temperature =
      kLoss == TripleLoss::Softmax ? Number(1) : static_cast<Number>(a.adversarial);
  const NegativeTotals t = query.totals(temperature);
  const Number margin = static_cast<Number>(a.margin);
  const Number smoothing = static_cast<Number>(a.label_smoothing);
  const Number other = kLoss == TripleLoss::Softmax ? smoothing / t.count : smoothing;
  double loss = 0;
  Number slopes = 0;
  Number by_c = 0;
  query.each([&](unsigned j, Number& score) {
    Number derivative = 0;
    if (score != no_negative()) {
      const Number weight = weight_term(temperature, score, t.largest) / t.sum;
      if constexpr (kLoss == TripleLoss::Margin) {
        const LossPart<Number> part = margin_part(margin, query.positive, score, weight);
        loss += static_cast<double>(part.loss);
        derivative = part.derivative;
      } else if constexpr (kLoss == TripleLoss::Logistic) {
        const LossPart<Number> part = logistic_part(margin + score, smoothing, weight);
        loss += static_cast<double>(part.loss);
        derivative = part.derivative;
      } else {
        loss -= static_cast<double>(other * (score - t.largest));
        derivative = weight - other;
      }
      slopes += derivative;
    }
    by_c += query.put(j, derivative * scale, score);
  });
  loss = warp_sum(loss);
  slopes = warp_sum(slopes);
  slope = slopes * scale;
  if constexpr (kLoss == TripleLoss::Margin) {
    by_positive = -slopes;
  } else if constexpr (kLoss == TripleLoss::Logistic) {
    const LossPart<Number> part = logistic_part(margin + query.positive, 1 - smoothing, Number(1));
    loss += static_cast<double>(part.loss);
    by_positive = part.derivative;
  } else {
    const Number label = 1 - smoothing;
    loss += static_cast<double>(logarithm(t.sum) - label * (query.positive - t.largest));
    by_positive = softmax_derivative(query.positive, t.largest, t.sum, label);
    if (t.count == 0) loss = by_positive = 0;
  }
  by_bias = (kHasSpaces ? slopes : by_positive + slopes) * scale;
  by_positive *= scale;
  if constexpr (kHasPlanes) by_bias = warp_sum(by_c) - 2 * query.along_of_positive * by_positive;
  return loss;
}

// k-vs-all, as labelled_loss(): scores become the derivatives by the sums. Answers ascend, and so
// do a lane's scores. NaN where a score is not finite.
template <unsigned kHeld>
VECC_KG_FN double differentiate_labels(const Bound& a, QueryScores<kHeld>& query,
                                       const KnownAnswers& known, Number scale, Number& by_bias,
                                       Number& slope) {
  const NegativeTotals t = query.totals(Number(1));
  const Number margin = static_cast<Number>(a.margin);
  const Number smoothing = static_cast<Number>(a.label_smoothing);
  const AnswerLabels<Number> labels = kLoss == TripleLoss::Logistic
                                          ? logistic_labels(smoothing, query.count)
                                          : softmax_labels(smoothing, known.count(), query.count);
  double loss = 0;
  Number slopes = 0;
  Number by_c = 0;
  unsigned at = 0;
  query.each([&](unsigned j, Number& score) {
    while (at < known.count() && known.answer(at) < j) ++at;
    const bool is_answer = at < known.count() && known.answer(at) == j;
    const Number label = is_answer ? labels.answer : labels.other;
    LossPart<Number> part;
    if constexpr (kLoss == TripleLoss::Logistic) {
      part = logistic_part(margin + score, label, Number(1));
    } else {
      part = {-label * (score - t.largest), softmax_derivative(score, t.largest, t.sum, label)};
    }
    loss += static_cast<double>(part.loss);
    slopes += part.derivative;
    by_c += query.put(j, part.derivative * scale, score);
  });
  loss = warp_sum(loss);
  if constexpr (kLoss == TripleLoss::Softmax) loss += static_cast<double>(logarithm(t.sum));
  slope = warp_sum(slopes) * scale;
  by_bias = kHasPlanes ? warp_sum(by_c) : slope;
  // Of what is not finite a tile makes -infinity, which does not count.
  const bool is_finite = t.count == static_cast<Number>(query.count) && t.largest - t.largest == 0;
  return is_finite ? loss : static_cast<double>(no_negative() - no_negative());
}

// A lane's part of a row's.
template <bool kIsEntity>
VECC_KG_FN double row_penalty(const Bound& a, unsigned long long row, unsigned lane) {
  const Number* const table = kIsEntity ? a.entities : a.relations;
  const unsigned long long rows = kIsEntity ? a.entity_count : a.relation_count;
  const unsigned long long width = kIsEntity ? a.dim : width_of_relation(a);
  const auto number = [&](unsigned long long k) {
    return table[number_place<kIsEntity>(a, rows, row, k)];
  };
  double sum = 0;
  const unsigned long long half = width / 2;
  for (unsigned long long k = lane; k < (kComplex ? half : width); k += 32) {
    const Complex<Number> x = {number(k), kComplex ? number(half + k) : Number(0)};
    sum += penalty_of_square(a.l2, a.n3, static_cast<double>(square_of(x)));
  }
  return sum;
}

// transh: the soft constraints of a query (src/kg/train/plane_constraints.h), a lane's part of
// sums.
VECC_KG_FN double query_constraints(const Bound& a, const QueryRows& rows, unsigned lane) {
  const Number* const x = entity(a, rows.anchor);
  const Number* const e = entity(a, rows.answer);
  const Number* const r = row_of(a.relations, rows.relation, 2 * a.dim);
  PlaneSums sums = {Number(0), Number(0), Number(0)};
  Number of_x = 0;
  Number of_e = 0;
  for (unsigned k = lane; k < a.dim; k += 32) {
    sums.add(r[k], r[a.dim + k]);
    of_x += x[k] * x[k];
    of_e += e[k] * e[k];
  }
  sums = {warp_sum(sums.along), warp_sum(sums.w), warp_sum(sums.r)};
  return larger(0.0, static_cast<double>(warp_sum(of_x)) - 1) +
         larger(0.0, static_cast<double>(warp_sum(of_e)) - 1) + sums.excess();
}

// What regularization adds to a query's loss.
VECC_KG_FN double query_penalty(const Bound& a, const QueryRows& rows, unsigned lane) {
  double penalty = row_penalty<true>(a, rows.anchor, lane);
  penalty += row_penalty<true>(a, rows.answer, lane);
  penalty += row_penalty<false>(a, rows.relation, lane);
  return warp_sum(penalty);
}

// A warp: query i.
template <unsigned kHeld>
VECC_KG_FN void query_loss(const Bound& a, const Batch& batch, unsigned i) {
  const QueryRows rows = a.query_rows[i];
  const unsigned lane = threadIdx.x % 32;
  const Number* const q = row_of(a.queries, i, a.width);
  Number sum = 0;
  const unsigned half = kIsPairwise ? 0 : a.width / kParts;
  const unsigned long long first = static_cast<unsigned long long>(i) * a.negative_count;
  QueryScores<kHeld> query = {a.scores + first, a.along + first, nullptr, a.negative_count, lane};
  query.read();  // memory's time passes beside that of the positive's numbers
  const auto answer = [&](unsigned k) { return answer_number(a, batch, i, rows.answer, k); };
#pragma unroll 8
  for (unsigned k = lane; k < half; k += 32) {
    sum = add_score_term(Complex<Number>{q[k], kPairs ? q[half + k] : Number(0)},
                         Complex<Number>{answer(k), kPairs ? answer(half + k) : Number(0)}, sum);
  }
  Number positive = score_of<kKind>(warp_sum(sum), a.biases[i]);
  if constexpr (kIsPairwise) positive = a.positive_scores[i];
  Number along = 0;
  if constexpr (kHasPlanes) {
    const Number* const u = row_of(a.normals, i, a.dim);
    for (unsigned k = lane; k < half; k += 32) along = multiply_add(u[k], answer(k), along);
    along = warp_sum(along);
    positive += plane_term(along, a.biases[i]);
  }
  Number b = a.biases[i];
  if constexpr (kHasSpaces) {
    positive = -warp_sum(lane_square(row_of(a.differences, i, a.dim), a.dim, lane));
    b = -warp_sum(lane_square(row_of(a.images, i, a.dim), a.dim, lane));
    query.norms = a.norms + static_cast<unsigned long long>(a.group_of[i]) * a.negative_count;
  }
  query.positive = positive;
  query.c = b;
  query.along_of_positive = along;
  if constexpr (kHasPlanes || kHasSpaces || kIsPairwise) query.complete();
  const Number scale = static_cast<Number>(1.0 / batch.queries);
  Number by_positive = 0;
  Number by_bias = 0;
  Number slope = 0;
  double loss = 0;
  if constexpr (kLabels) {
    const KnownAnswers known(a, rows, i < batch.tails);
    loss = differentiate_labels(a, query, known, scale, by_bias, slope);
  } else {
    query.mark(a, batch, i, rows);
    loss = differentiate(a, query, scale, by_positive, by_bias, slope);
    // Tiles make -infinity of a NaN, so that only a positive shows one.
    if (!(positive - positive == 0)) loss = static_cast<double>(positive - positive);
  }
  query.write();
  if constexpr (kRegularizes) loss += query_penalty(a, rows, lane);
  if constexpr (kConstrains) loss += a.constraints * query_constraints(a, rows, lane);
  if (lane != 0) return;
  if constexpr (kHasPlanes) a.positive_along[i] = 2 * (along - a.biases[i]) * by_positive;
  a.positives[i] = by_sum<kKind>(by_positive, positive);
  a.by_bias[i] = by_bias;
  a.slopes[i] = slope;
  a.losses[i] = loss;
}

VECC_KG_FN void query_losses(const Bound& a) {
  if (a.state->failed != 0) return;
  const Batch batch(a, a.state->now);
  const unsigned i = blockIdx.x * (kLossThreads / 32) + threadIdx.x / 32;
  if (i >= batch.queries) return;
  if (a.negative_count <= 32 * kHeldScores) {
    query_loss<kHeldScores>(a, batch, i);
  } else {
    query_loss<0>(a, batch, i);
  }
}

// One block: adds the losses up, and says whether rows are to move.
VECC_KG_FN void judge(const Bound& a) {
  if (a.state->failed != 0) return;
  const unsigned number = a.state->now;
  const Batch batch(a, number);
  double sum = 0;
  for (unsigned i = threadIdx.x; i < batch.queries; i += kJudgeThreads) sum += a.losses[i];
  sum = block_sum<kJudgeThreads>(sum);
  if (threadIdx.x != 0) return;
  if (!(sum - sum == 0)) {
    a.state->failed = 1;
    return;
  }
  a.state->loss_sum += sum;
  a.state->queries += batch.queries;
  a.state->next = number + 1;
}

}  // namespace vecc_kernel
