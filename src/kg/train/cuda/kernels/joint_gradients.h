// Derivatives by queries and negatives, from those by the sums of their pairs: both sides of a pair
// at once, which have most of their terms in common. A lane has a number, a warp kJointSide queries
// in registers, and negatives pass by; what a block's queries come to for a negative is a part of
// the derivative by it.
#if VECC_KG_IS_JOINT
namespace vecc_kernel {

constexpr unsigned kJointWarps = kJointThreads / 32;
constexpr unsigned kJointSide = kJointQueries / kJointWarps;
constexpr unsigned kJointStage = 32 / kParts * sizeof(float) / sizeof(Number);  // negatives
constexpr unsigned kJointGroups = 32 / kJointStage;          // of lanes that read a warp's c
constexpr unsigned kJointShare = kJointSide / kJointGroups;  // queries of a group
constexpr unsigned kJointLines = kJointStage / kJointWarps;  // negatives that a warp reads
constexpr unsigned kJointBlocks = sizeof(Number) == 8 || kPairs ? 2 : 4;

// Adds what a pair comes to for both; of L1 c times half_sign(): finish_query(), finish_negative().
template <TileKind kOf>
VECC_KG_FN void add_joint(Number c, Complex<Number> q, Complex<Number> e,
                          Number (&by_query)[kParts], Number (&by_negative)[kParts]) {
  if constexpr (!is_of_difference(kOf)) {
    by_query[0] = multiply_add(c, e.re, by_query[0]);
    by_negative[0] = multiply_add(c, q.re, by_negative[0]);
    return;
  }
  const Number re = q.re - e.re;
  if constexpr (kOf == TileKind::L1) {
    const Number sign = half_sign(re);
    by_query[0] = multiply_add(c, sign, by_query[0]);
    by_negative[0] = multiply_add(c, sign, by_negative[0]);
  } else if constexpr (kOf == TileKind::ComplexL1) {
    const Number im = q.im - e.im;
    const Number factor = c * inverse_root(multiply_add(re, re, im * im));
    by_query[0] = multiply_add(-factor, re, by_query[0]);
    by_query[kParts - 1] = multiply_add(-factor, im, by_query[kParts - 1]);
    by_negative[0] = multiply_add(factor, re, by_negative[0]);
    by_negative[kParts - 1] = multiply_add(factor, im, by_negative[kParts - 1]);
  } else {
    by_query[0] = multiply_add(-c, re, by_query[0]);
    by_negative[0] = multiply_add(c, re, by_negative[0]);
  }
}
// `total`: the sum of a query's c.
template <TileKind kOf>
VECC_KG_FN Number finish_query(Number total, Number sum) {
  return kOf == TileKind::L1 ? total - 2 * sum : sum;
}
// Of a sum that began with begin_negative().
template <TileKind kOf>
VECC_KG_FN Number begin_negative(Number total) {
  return kOf == TileKind::L1 ? Number(-0.5) * total : Number(0);
}
template <TileKind kOf>
VECC_KG_FN Number finish_negative(Number sum) {
  return kOf == TileKind::L1 ? 2 * sum : sum;
}

struct JointSpace {
  Number c[kJointWarps][kJointStage][kJointSide + 4];  // derivatives by sums
  Number first[kJointWarps][kJointStage];              // L1: begin_negative()
  Number e[kParts][kJointStage][32];
  Number sums[kParts][kJointWarps][kJointStage][32];
};

// A block: kJointQueries queries of a chunk, 32 numbers, a.split_negatives of the chunk's
// negatives. Of planes (transh) those by u and, added, by negatives, from those by u.e.
template <bool kOfPlanes>
struct JointTile {
  static constexpr TileKind kOf = kOfPlanes ? TileKind::Projection : kKind;
  // On its way to shared memory, and which rows come behind.
  struct Stage {
    Number c[kJointShare];
    Number e[kJointLines][kParts];
    unsigned rows[kJointLines];
  };

  const Bound& a;
  unsigned chunk;
  unsigned part;         // of the chunk's queries
  unsigned split;        // of its negatives
  unsigned end;          // of those
  unsigned first_query;  // of the step
  unsigned count;        // of the block's queries
  unsigned number;       // the lane's
  unsigned half;
  unsigned warp = threadIdx.x / 32;
  unsigned lane = threadIdx.x % 32;

  __device__ __forceinline__ JointTile(const Bound& bound, const Batch& batch, unsigned block)
      : a(bound), half(a.dim / kParts) {
    const unsigned columns = whole_units(half, 32);
    split = block / columns % a.negative_splits;
    part = block / (columns * a.negative_splits) % a.query_parts;
    chunk = block / (columns * a.negative_splits * a.query_parts);
    end = smaller(a.negative_count, (split + 1) * a.split_negatives);
    number = block % columns * 32 + lane;
    const ChunkQueries queries(a, batch, chunk);
    first_query = queries.first + part * kJointQueries;
    count = part * kJointQueries < queries.count
                ? smaller(kJointQueries, queries.count - part * kJointQueries)
                : 0;
  }
  __device__ __forceinline__ bool has_number() const { return number < half; }
  // The warp's query i.
  __device__ __forceinline__ bool has_query(unsigned i) const {
    return warp * kJointSide + i < count;
  }
  __device__ __forceinline__ unsigned query(unsigned i) const {
    return first_query + warp * kJointSide + i;
  }
  __device__ __forceinline__ Complex<Number> query_number(unsigned i) const {
    if (!has_query(i) || !has_number()) return {Number(0), Number(0)};
    const Number* const from = row_of(kOfPlanes ? a.normals : a.queries, query(i), a.dim);
    return {from[number], kPairs ? from[half + number] : Number(0)};
  }
  __device__ __forceinline__ unsigned long long negative(unsigned j) const {
    return static_cast<unsigned long long>(chunk) * a.negative_count + j;
  }

  // A lane that has no number reads the last one's, and writes nothing.
  __device__ __forceinline__ unsigned read_number() const { return smaller(number, half - 1); }
  // Whether a stage's negatives, and the warp's queries, are all there: most are, and then no place
  // is compared.
  __device__ __forceinline__ bool is_whole(unsigned begin) const {
    return begin + kJointStage <= end && (warp + 1) * kJointSide <= count;
  }

  // Which rows the negatives from `begin` on are.
  template <bool kWhole>
  __device__ __forceinline__ void find(unsigned begin, Stage& stage) const {
    const unsigned long long first = negative(begin + warp);
#pragma unroll
    for (unsigned n = 0; n < kJointLines; ++n) {
      const bool is_there = kWhole || begin + warp + n * kJointWarps < end;
      if (is_there) stage.rows[n] = negative_number(a, first + n * kJointWarps);
    }
  }
  template <bool kWhole>
  __device__ __forceinline__ void fetch_rows(unsigned begin, Stage& stage) const {
    const auto* const rows = reinterpret_cast<const char*>(negative_rows(a) + read_number());
    const unsigned long long row_bytes = a.dim * static_cast<unsigned>(sizeof(Number));
#pragma unroll
    for (unsigned n = 0; n < kJointLines; ++n) {
      const bool is_there = kWhole || begin + warp + n * kJointWarps < end;
      const auto* const row = reinterpret_cast<const Number*>(rows + stage.rows[n] * row_bytes);
#pragma unroll
      for (unsigned p = 0; p < kParts; ++p) stage.e[n][p] = is_there ? row[p * half] : Number(0);
    }
  }
  // scores: of the first of the warp's queries that this lane's group reads.
  template <bool kWhole>
  __device__ __forceinline__ void fetch_scores(unsigned begin, const Number* scores,
                                               Stage& stage) const {
    const bool has_negative = kWhole || begin + lane % kJointStage < end;
    const unsigned first = lane / kJointStage * kJointShare;
#pragma unroll
    for (unsigned n = 0; n < kJointShare; ++n) {
      const bool is_there = kWhole || (has_negative && has_query(first + n));
      stage.c[n] =
          is_there ? scores[static_cast<unsigned long long>(n) * a.negative_count] : Number(0);
    }
  }
  __device__ __forceinline__ void fetch(unsigned begin, const Number* scores, Stage& stage) const {
    if (is_whole(begin)) {
      fetch_rows<true>(begin, stage);
      fetch_scores<true>(begin, scores, stage);
    } else {
      fetch_rows<false>(begin, stage);
      fetch_scores<false>(begin, scores, stage);
    }
    if (is_whole(begin + kJointStage)) {
      find<true>(begin + kJointStage, stage);
    } else {
      find<false>(begin + kJointStage, stage);
    }
  }
  __device__ __forceinline__ const Number* first_scores() const {
    const unsigned first = query(lane / kJointStage * kJointShare);
    return (kOfPlanes ? a.along : a.scores) +
           static_cast<unsigned long long>(first) * a.negative_count + lane % kJointStage;
  }
  __device__ __forceinline__ void put(const Stage& stage, JointSpace& space) const {
    const unsigned j = lane % kJointStage;
    Number total = 0;
#pragma unroll
    for (unsigned i = 0; i < kJointShare; i += 4) {
      Four four;
#pragma unroll
      for (unsigned n = 0; n < 4; ++n) {
        four.at[n] = stage.c[i + n];
        total += stage.c[i + n];
      }
      *reinterpret_cast<Four*>(space.c[warp][j] + lane / kJointStage * kJointShare + i) = four;
    }
    if constexpr (kOf == TileKind::L1) {
#pragma unroll
      for (unsigned step = kJointStage; step < 32; step *= 2) {
        total += __shfl_xor_sync(~0u, total, static_cast<int>(step));
      }
      if (lane < kJointStage) space.first[warp][j] = begin_negative<kOf>(total);
    }
#pragma unroll
    for (unsigned n = 0; n < kJointLines; ++n) {
#pragma unroll
      for (unsigned p = 0; p < kParts; ++p) {
        space.e[p][warp + n * kJointWarps][lane] = stage.e[n][p];
      }
    }
  }
  // A stage's pairs of the warp.
  __device__ __forceinline__ void add(const Complex<Number> (&q)[kJointSide], JointSpace& space,
                                      Number (&by_query)[kJointSide][kParts]) const {
#pragma unroll 2
    for (unsigned j = 0; j < kJointStage; ++j) {
      const Complex<Number> e = {space.e[0][j][lane], space.e[kParts - 1][j][lane]};
      Number by_negative[kParts] = {};
      if constexpr (kOf == TileKind::L1) by_negative[0] = space.first[warp][j];
#pragma unroll
      for (unsigned i = 0; i < kJointSide; i += 4) {
        const Four c = four_of(space.c[warp][j] + i);
#pragma unroll
        for (unsigned n = 0; n < 4; ++n) {
          add_joint<kOf>(c.at[n], q[i + n], e, by_query[i + n], by_negative);
        }
      }
#pragma unroll
      for (unsigned p = 0; p < kParts; ++p) {
        space.sums[p][warp][j][lane] = finish_negative<kOf>(by_negative[p]);
      }
    }
  }
  // Of the negatives from `begin` on, over the block's warps; `to`: of the warp's first one.
  template <bool kWhole>
  __device__ __forceinline__ void write_negatives(unsigned begin, const JointSpace& space,
                                                  Number* to) const {
    if (!has_number()) return;
    const unsigned long long step = static_cast<unsigned long long>(kJointWarps) * a.dim;
#pragma unroll
    for (unsigned n = 0; n < kJointLines; ++n) {
      const unsigned line = warp + n * kJointWarps;
      if (!kWhole && begin + line >= end) continue;
      Number* const row = to + n * step;
#pragma unroll
      for (unsigned p = 0; p < kParts; ++p) {
        Number sum = 0;
#pragma unroll
        for (unsigned w = 0; w < kJointWarps; ++w) sum += space.sums[p][w][line][lane];
        row[p * half] = kOfPlanes ? row[p * half] + sum : sum;
      }
    }
  }
  __device__ __forceinline__ void write_queries(const Number (&sums)[kJointSide][kParts]) const {
#pragma unroll
    for (unsigned i = 0; i < kJointSide; ++i) {
      if (!has_query(i) || !has_number()) continue;
      const Number total = kOf == TileKind::L1 && split == 0 ? a.slopes[query(i)] : Number(0);
      const unsigned row = split * a.most_queries + query(i);
      Number* const to = row_of(kOfPlanes ? a.by_normal : a.by_query, row, a.dim) + number;
#pragma unroll
      for (unsigned p = 0; p < kParts; ++p) to[p * half] = finish_query<kOf>(total, sums[i][p]);
    }
  }
  // Of a warp that has no query.
  __device__ __forceinline__ void clear(JointSpace& space) const {
    for (unsigned j = 0; j < kJointStage; ++j) {
      for (unsigned p = 0; p < kParts; ++p) space.sums[p][warp][j][lane] = 0;
    }
  }

  __device__ __forceinline__ void run(JointSpace& space) const {
    Complex<Number> q[kJointSide];
#pragma unroll
    for (unsigned i = 0; i < kJointSide; ++i) q[i] = query_number(i);
    Number by_query[kJointSide][kParts] = {};
    const bool has_queries = has_query(0);
    if (!has_queries) clear(space);
    const unsigned first = split * a.split_negatives;
    const Number* scores = first_scores() + first;
    const unsigned long long all =
        static_cast<unsigned long long>(a.most_chunks) * a.negative_count;
    Number* to = a.by_negative + (part * all + negative(first + warp)) * a.dim + number;
    Stage next;
    find<false>(first, next);
    fetch(first, scores, next);
    for (unsigned begin = first; begin < end; begin += kJointStage) {
      put(next, space);
      __syncthreads();
      scores += kJointStage;
      fetch(begin + kJointStage, scores, next);
      if (has_queries) add(q, space, by_query);
      __syncthreads();
      if (is_whole(begin)) {
        write_negatives<true>(begin, space, to);
      } else {
        write_negatives<false>(begin, space, to);
      }
      to += static_cast<unsigned long long>(kJointStage) * a.dim;
    }
    write_queries(by_query);
  }
};

template <bool kOfPlanes>
VECC_KG_FN void joint_gradients(const Bound& a) {
  __shared__ __align__(32) JointSpace space;
  const Batch batch(a, a.state->now);
  const JointTile<kOfPlanes> tile(a, batch, blockIdx.x);
  if (tile.chunk < batch.chunks) tile.run(space);
}

}  // namespace vecc_kernel
#endif
