// Pairs of queries and negatives: what is computed of one, and what tiles of them in registers,
// over stages of shared memory, are made of. No number of a pair is stored but its score.
namespace vecc_kernel {

constexpr unsigned kGroups = 4;  // of a block: each has every fourth part of a stage
constexpr unsigned kGroupThreads = kPairThreads / kGroups;
constexpr unsigned kSide = 4;                   // pairs of a thread: kSide times kSide
constexpr unsigned kOfGroup = kTile / kGroups;  // of a stage
constexpr unsigned kPadded = kTile + 4;         // against conflicts of banks; rows stay aligned
constexpr unsigned kParts = kPairs ? 2 : 1;
constexpr unsigned kPlane = kTile * kPadded;
// Blocks that a multiprocessor is to hold: as many as leave the threads their registers.
constexpr unsigned kPairBlocks = sizeof(Number) == 8          ? 1
                                 : kPairs                     ? 2
                                 : kKind == TileKind::Product ? 4
                                                              : 3;

struct __align__(4 * sizeof(Number)) Four {
  Number at[kSide];
};
VECC_KG_FN Four four_of(const Number* from) {
  return *reinterpret_cast<const Four*>(from);
}
// Of numbers from `first` on those that are there.
VECC_KG_FN unsigned behind(unsigned first, unsigned end) {
  return first < end ? end - first : 0;
}
// Four numbers of a row, from `from` on, of which the first `count` are there; all or none with
// `in_fours`, where rows have fours of numbers.
VECC_KG_FN Four read_four(const Number* from, unsigned count, bool in_fours = kHasFours) {
  Four four = {};
  if (in_fours) {
    if (count > 0) four = four_of(from);
    return four;
  }
#pragma unroll
  for (unsigned n = 0; n < 4; ++n) {
    if (n < count) four.at[n] = from[n];
  }
  return four;
}
VECC_KG_FN void write_four(Number* to, unsigned count, const Four& four,
                           bool in_fours = kHasFours) {
  if (in_fours) {
    if (count > 0) *reinterpret_cast<Four*>(to) = four;
    return;
  }
#pragma unroll
  for (unsigned n = 0; n < 4; ++n) {
    if (n < count) to[n] = four.at[n];
  }
}

// 1 / sqrt(x) of a sum of squares, in float to 2^-22; of what is smaller than float's smallest
// normal number that of this: times a difference whose square x is, never more than 1.
VECC_KG_FN float inverse_root(float x) {
  const float normal = larger(x, 0x1p-126f);
#if __CUDA_ARCH__ >= 700
  float root;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(normal));
  return root;
#else
  return 1 / __fsqrt_rn(normal);
#endif
}
VECC_KG_FN double inverse_root(double x) {
  return x > 0 ? 1 / __dsqrt_rn(x) : 0;
}

// (sign(d) + 1) / 2 by units that also multiply and add, which are twice as many as those that
// compare. Of |d| below 2^-127 it is between.
VECC_KG_FN float half_sign(float d) {
  return __saturatef(__fmaf_rn(d, 0x1p127f, 0.5f));
}
VECC_KG_FN double half_sign(double d) {
  return d > 0 ? 1 : d < 0 ? 0 : 0.5;
}

// A score's sum with one term more: score_term().
template <TileKind kOf = kKind>
VECC_KG_FN Number add_score_term(Complex<Number> q, Complex<Number> e, Number sum) {
  if constexpr (!is_of_difference(kOf)) return multiply_add(q.re, e.re, sum);
  const Number re = q.re - e.re;
  if constexpr (kOf == TileKind::L1) return sum + absolute(re);
  if constexpr (kOf == TileKind::ComplexL1) {
    const Number im = q.im - e.im;
    const Number square = multiply_add(re, re, im * im);
    return multiply_add(square, inverse_root(square), sum);
  }
  return multiply_add(re, re, sum);
}
// Adds the derivative by `own` of a pair, a query and a negative: by_query_number() or
// by_answer_number(). Of L1 c times half_sign(): finish_pairs() makes it c times the sign.
template <TileKind kOf>
VECC_KG_FN void add_pair(Number c, Complex<Number> own, Complex<Number> other,
                         Number (&sum)[kParts]) {
  const Number re = own.re - other.re;
  if constexpr (!is_of_difference(kOf)) {
    sum[0] = multiply_add(c, other.re, sum[0]);
  } else if constexpr (kOf == TileKind::L1) {
    sum[0] = multiply_add(c, half_sign(re), sum[0]);
  } else if constexpr (kOf == TileKind::ComplexL1) {
    const Number im = own.im - other.im;
    const Number factor = -c * inverse_root(multiply_add(re, re, im * im));
    sum[0] = multiply_add(factor, re, sum[0]);
    sum[kParts - 1] = multiply_add(factor, im, sum[kParts - 1]);
  } else {
    sum[0] = multiply_add(-c, re, sum[0]);
  }
}
// Of a row; `total` is the sum of its c.
template <TileKind kOf>
VECC_KG_FN void finish_pairs(Number total, Number (&sums)[kSide][kParts]) {
  if constexpr (kOf == TileKind::L1) {
#pragma unroll
    for (unsigned j = 0; j < kSide; ++j) sums[j][0] = total - 2 * sums[j][0];
  }
}

// A thread's place in its group: of the pairs' rows and columns the first.
struct TilePlace {
  unsigned group = threadIdx.x / kGroupThreads;
  unsigned row = threadIdx.x % kGroupThreads / (kTile / kSide) * kSide;
  unsigned column = threadIdx.x % (kTile / kSide) * kSide;
};

// A thread's part of kTile numbers of kTile rows on their way to shared memory: they are fetched
// while the stage before is computed. A warp has kSide rows side by side, a lane a number of each.
struct Fetched {
  Number numbers[kParts][kSide];

  // Of a stage the thread's first row, and its number.
  static __device__ __forceinline__ unsigned line() { return threadIdx.x / kTile * kSide; }
  static __device__ __forceinline__ unsigned lane() { return threadIdx.x % kTile; }

  // Numbers from `first` on; row(i): row i's address. What is not there is 0.
  template <class Row>
  __device__ __forceinline__ void fetch(const Row& row, unsigned first, unsigned count,
                                        unsigned dim) {
    const unsigned half = dim / kParts;
    const unsigned k = first + lane();
#pragma unroll
    for (unsigned n = 0; n < kSide; ++n) {
      const bool is_there = line() + n < count && k < half;
      const Number* const from = is_there ? row(line() + n) + k : nullptr;
#pragma unroll
      for (unsigned part = 0; part < kParts; ++part) {
        numbers[part][n] = is_there ? from[part * half] : Number(0);
      }
    }
  }
  // Into planes [part][..][..]: by number and row, or by row and number.
  template <bool kByNumber>
  __device__ __forceinline__ void put(Number* to) const {
#pragma unroll
    for (unsigned part = 0; part < kParts; ++part) {
      if constexpr (kByNumber) put_column(numbers[part], to + part * kPlane);
#pragma unroll
      for (unsigned n = 0; n < kSide; ++n) {
        if (!kByNumber) to[part * kPlane + (line() + n) * kPadded + lane()] = numbers[part][n];
      }
    }
  }
  // By lane and line: one store, whose lanes are in banks of their own.
  static __device__ __forceinline__ void put_column(const Number (&numbers)[kSide], Number* to) {
    Four four;
#pragma unroll
    for (unsigned n = 0; n < kSide; ++n) four.at[n] = numbers[n];
    *reinterpret_cast<Four*>(to + lane() * kPadded + line()) = four;
  }
};
static_assert(kTile * kTile == kPairThreads * kSide);

// The groups' sums of a tile, added in the order of the groups: those of group 0 are then whole.
template <unsigned kCount>
VECC_KG_FN void add_groups(Number (&sums)[kSide][kSide][kCount], const TilePlace& at,
                           Number* space) {
  for (unsigned group = 1; group < kGroups; ++group) {
    __syncthreads();
    for (unsigned i = 0; i < kSide; ++i) {
      for (unsigned j = 0; j < kSide; ++j) {
        Number* const place = space + (at.row + i) * kPadded + at.column + j;
        for (unsigned part = 0; part < kCount; ++part) {
          if (at.group == group) place[part * kPlane] = sums[i][j][part];
        }
      }
    }
    __syncthreads();
    if (at.group != 0) continue;
    for (unsigned i = 0; i < kSide; ++i) {
      for (unsigned j = 0; j < kSide; ++j) {
        const Number* const place = space + (at.row + i) * kPadded + at.column + j;
        for (unsigned part = 0; part < kCount; ++part) sums[i][j][part] += place[part * kPlane];
      }
    }
  }
}

}  // namespace vecc_kernel
