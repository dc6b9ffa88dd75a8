// Kernel prelude, CUDA only: members of segments that a batch draws (src/train/draw_members.h): the
// same ones. It stands behind make_batch.h.
namespace vecc_kernel {

// What a batch brings.
static __device__ __forceinline__ const WeightRows* weight_rows(const BatchInput* input) {
  const NumberWrite* const writes = reinterpret_cast<const NumberWrite*>(input + 1);
  return reinterpret_cast<const WeightRows*>(writes + input->writes);
}
template <class T>
static __device__ __forceinline__ const T* items_at(const BatchInput* input, unsigned at) {
  return reinterpret_cast<const T*>(reinterpret_cast<const unsigned char*>(input) + at);
}
static __device__ __forceinline__ const DrawInput* draw_input(const BatchInput* input) {
  return items_at<DrawInput>(input, static_cast<unsigned>(input->draw));
}

static __device__ __forceinline__ void insert_number(const BatchTables& t,
                                                     unsigned long long number) {
  if (!has_number(t, number)) atomicOr(&t.reached[number / 64], 1ull << number % 64);
}

static __device__ __forceinline__ unsigned thread_of_all() {
  return blockIdx.x * kThreads + threadIdx.x;
}

// Weights of members that the batch before drew are 0 again.
static __device__ void forget_drawn(const DrawInput& of) {
  Number* const values = reinterpret_cast<Number*>(of.values);
  auto* const drawn = reinterpret_cast<unsigned long long*>(of.drawn);
  for (unsigned w = thread_of_all(); w < (of.rows + 63) / 64; w += kUniteBlocks * kThreads) {
    const unsigned long long bits = drawn[w];
    if (bits == 0) continue;
    for (unsigned long long left = bits; left != 0; left &= left - 1) {
      values[w * 64 + static_cast<unsigned>(__ffsll(static_cast<long long>(left)) - 1)] = 0;
    }
    drawn[w] = 0;
  }
}

// What the batch's samples begin with.
static __device__ void take_samples(const BatchTables& t, const BatchInput* input) {
  const DrawInput& of = *draw_input(input);
  const unsigned* const samples = items_at<unsigned>(input, of.first_sample);
  for (unsigned i = thread_of_all(); i < of.samples; i += kUniteBlocks * kThreads) {
    insert_number(t, t.sample_numbers[samples[i]]);
  }
}

// What a segment draws by, in this batch.
struct DrawNumbers {
  unsigned key[2];
  unsigned counter[3];
};
// Number `i`, one of 0 .. last: of 64 bits, two from each block of Philox 4x32-10.
static __device__ unsigned below_or_at(const DrawNumbers& of, unsigned i, unsigned last) {
  unsigned k0 = of.key[0];
  unsigned k1 = of.key[1];
  unsigned a = of.counter[0];
  unsigned b = of.counter[1];
  unsigned c = of.counter[2];
  unsigned d = i / 2;
  for (int round = 0; round < 10; ++round) {
    const unsigned long long p = static_cast<unsigned long long>(a) * 0xD2511F53u;
    const unsigned long long q = static_cast<unsigned long long>(c) * 0xCD9E8D57u;
    a = static_cast<unsigned>(q >> 32) ^ b ^ k0;
    b = static_cast<unsigned>(q);
    c = static_cast<unsigned>(p >> 32) ^ d ^ k1;
    d = static_cast<unsigned>(p);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  const unsigned long long high = i % 2 == 0 ? a : c;
  const unsigned long long low = i % 2 == 0 ? b : d;
  const unsigned long long range = last + 1ull;
  return static_cast<unsigned>((high * range + (low * range >> 32)) >> 32);
}

static __device__ __forceinline__ void insert_new(const BatchTables& t, unsigned long long number) {
  atomicOr(&t.reached[number / 64], 1ull << number % 64);
}

// A member of a segment.
static __device__ void take_member(const MakeBatch& a, const DrawJob& job, unsigned member,
                                   Number weight) {
  const BatchTables& t = *a.tables;
  insert_new(t, job.drawn + member);
  if (job.writes == 0) return;
  const DrawInput& of = *draw_input(a.input);
  const unsigned row = job.first_row + member;
  reinterpret_cast<Number*>(of.values)[row] = weight;
  atomicOr(&reinterpret_cast<unsigned long long*>(of.drawn)[row / 64], 1ull << row % 64);
  for (unsigned s = 0; s < t.weight_section_count; ++s) {
    const WeightSection& section = t.weight_sections[s];
    if (section.weights == t.draw_weights) insert_new(t, section.first + row / section.unit);
  }
}

static __device__ double weight_of(const DrawJob& job, unsigned count, unsigned k) {
  if (job.counts == kInMean) return 1.0 / static_cast<double>(k);
  const bool is_scaled = job.counts == kInSum && job.is_scaled != 0;
  return is_scaled ? static_cast<double>(count) / static_cast<double>(k) : 1;
}

// Lanes that draw of a segment: a warp, or so much of it as draws all at once.
static __device__ __forceinline__ unsigned drawing_lanes(const DrawJob& job) {
  return job.limit <= 8 ? 8 : job.limit <= 16 ? 16 : kWarpLanes;
}

// Members of a segment, by drawing_lanes(). One is drawn of 0 .. last, for the next of 0 .. last +
// 1: where that was drawn before, `last` is. Lanes draw at once, and then learn what those before
// them took.
static __device__ void draw_members(const MakeBatch& a, const DrawJob& job, unsigned segment) {
  const BatchTables& t = *a.tables;
  const unsigned lanes = drawing_lanes(job);
  const unsigned lane = threadIdx.x % lanes;
  const unsigned own_lanes = ~0u >> (kWarpLanes - lanes) << (threadIdx.x % kWarpLanes - lane);
  const unsigned first = job.begins != nullptr ? job.begins[segment] : segment * job.members;
  const unsigned count = job.begins != nullptr ? job.begins[segment + 1] - first : job.members;
  const unsigned k = count < job.limit ? count : job.limit;
  if (k == 0) return;
  const auto weight = static_cast<Number>(weight_of(job, count, k));
  if (count <= job.limit) {
    for (unsigned i = lane; i < count; i += lanes) take_member(a, job, first + i, weight);
    return;
  }
  const unsigned long long run = draw_input(a.input)->run;
  const DrawNumbers numbers = {
      {t.draw_key[0], t.draw_key[1]},
      {job.first_owner + segment, static_cast<unsigned>(run), static_cast<unsigned>(run >> 32)}};
  for (unsigned begin = 0; begin < k; begin += lanes) {
    const unsigned drawn = k - begin < lanes ? k - begin : lanes;
    const unsigned last = count - k + begin + lane;
    unsigned place = below_or_at(numbers, begin + lane, last);
    if (begin > 0 && lane < drawn) {
      const unsigned long long number = job.drawn + first + place;
      const unsigned long long bits = atomicOr(&t.reached[number / 64], 0ull);
      if ((bits >> number % 64 & 1) != 0) place = last;
    }
    for (unsigned i = 0; i < drawn; ++i) {
      const unsigned before =
          __shfl_sync(own_lanes, place, static_cast<int>(i), static_cast<int>(lanes));
      if (lane > i && place == before) place = last;
    }
    if (lane < drawn) take_member(a, job, first + place, weight);
    __syncwarp(own_lanes);
  }
}

}  // namespace vecc_kernel
