// The loops of loss_kernels.h, for one set of instructions. loss_kernels.cc includes this once for
// each, with
//   VECC_TILE_SET     the namespace
//   VECC_TILE_TARGET  the function attribute
// The compiler makes them vectors: formulas are inlined, have no calls, and what is no negative is
// selected, not jumped over.

namespace VECC_TILE_SET {

// Sums by lane, so that they have one order that vector registers keep.
template <class T, class Sum>
VECC_TILE_TARGET void add_to_lanes(const T* x, std::size_t n, Sum* sums) {
  std::size_t k = 0;
  for (; k + kSumLanes <= n; k += kSumLanes) {
    for (std::size_t i = 0; i < kSumLanes; ++i) sums[i] += static_cast<Sum>(x[k + i]);
  }
  for (std::size_t i = 0; k < n; ++k, ++i) sums[i] += static_cast<Sum>(x[k]);
}

template <class Sum>
VECC_TILE_TARGET Sum sum_of_lanes(const Sum* sums) {
  Sum sum = 0;
  for (std::size_t i = 0; i < kSumLanes; ++i) sum += sums[i];
  return sum;
}

template <class T>
VECC_TILE_TARGET T sum_weights(const LossOfNegatives<T>& loss, const T* scores, std::size_t n) {
  const LossOfNegatives<T> of = loss;
  T sums[kSumLanes] = {};
  T terms[kLossBlock];
  for (std::size_t begin = 0; begin < n; begin += kLossBlock) {
    const std::size_t count = std::min(n - begin, kLossBlock);
    const T* const s = scores + begin;
    for (std::size_t i = 0; i < count; ++i) {
      const T term = formulas::weight_term(of.temperature, s[i], of.largest);
      terms[i] = s[i] == kNoNegative<T> ? T{0} : term;
    }
    add_to_lanes(terms, count, sums);
  }
  return sum_of_lanes(sums);
}

template <class T>
VECC_TILE_TARGET double take_logistic(const LossOfNegatives<T>& loss, T* scores, std::size_t n) {
  const LossOfNegatives<T> of = loss;
  double sums[kSumLanes] = {};
  T losses[kLossBlock];
  for (std::size_t begin = 0; begin < n; begin += kLossBlock) {
    const std::size_t count = std::min(n - begin, kLossBlock);
    T* const s = scores + begin;
    for (std::size_t i = 0; i < count; ++i) {
      const bool counts = s[i] != kNoNegative<T>;
      const T weight = formulas::weight_term(of.temperature, s[i], of.largest) / of.weights;
      const auto part =
          formulas::logistic_part(of.margin + (counts ? s[i] : T{0}), of.label, weight);
      losses[i] = counts ? part.loss : T{0};
      s[i] = counts ? part.derivative * of.scale : T{0};
    }
    add_to_lanes(losses, count, sums);
  }
  return sum_of_lanes(sums);
}

template <class T>
VECC_TILE_TARGET double take_margin(const LossOfNegatives<T>& loss, T* scores, std::size_t n,
                                    T& slope) {
  const LossOfNegatives<T> of = loss;
  double sums[kSumLanes] = {};
  T slopes[kSumLanes] = {};
  T losses[kLossBlock];
  T weights[kLossBlock];
  for (std::size_t begin = 0; begin < n; begin += kLossBlock) {
    const std::size_t count = std::min(n - begin, kLossBlock);
    T* const s = scores + begin;
    for (std::size_t i = 0; i < count; ++i) {
      const bool counts = s[i] != kNoNegative<T>;
      const T weight = formulas::weight_term(of.temperature, s[i], of.largest) / of.weights;
      const auto part = formulas::margin_part(of.margin, of.positive, counts ? s[i] : T{0}, weight);
      losses[i] = counts ? part.loss : T{0};
      weights[i] = counts ? part.derivative : T{0};
      s[i] = weights[i] * of.scale;
    }
    add_to_lanes(losses, count, sums);
    add_to_lanes(weights, count, slopes);
  }
  slope = sum_of_lanes(slopes);
  return sum_of_lanes(sums);
}

template <class T>
VECC_TILE_TARGET SoftmaxSums<T> sum_softmax(const T* scores, std::size_t n, T largest) {
  T sums[kSumLanes] = {};
  T excesses[kSumLanes] = {};
  T terms[kLossBlock];
  T differences[kLossBlock];
  for (std::size_t begin = 0; begin < n; begin += kLossBlock) {
    const std::size_t count = std::min(n - begin, kLossBlock);
    const T* const s = scores + begin;
    for (std::size_t i = 0; i < count; ++i) {
      const bool counts = s[i] != kNoNegative<T>;
      const T difference = counts ? s[i] - largest : T{0};
      const T term = formulas::exponential(difference);
      terms[i] = counts ? term : T{0};
      differences[i] = difference;
    }
    add_to_lanes(terms, count, sums);
    add_to_lanes(differences, count, excesses);
  }
  return {sum_of_lanes(sums), sum_of_lanes(excesses)};
}

template <class T>
VECC_TILE_TARGET void take_softmax(T* scores, std::size_t n, T largest, T sum, T label, T scale) {
  for (std::size_t i = 0; i < n; ++i) {
    const bool counts = scores[i] != kNoNegative<T>;
    const T score = counts ? scores[i] : largest;
    const T slope = formulas::softmax_derivative(score, largest, sum, label);
    scores[i] = counts ? slope * scale : T{0};
  }
}

template <class T>
constexpr LossKernels<T> kLossKernels{sum_weights<T>, take_logistic<T>, take_margin<T>,
                                      sum_softmax<T>, take_softmax<T>};

}  // namespace VECC_TILE_SET
#undef VECC_TILE_SET
#undef VECC_TILE_TARGET
