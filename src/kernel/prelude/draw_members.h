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

// Numbers of 64 bits, two from each block of Philox 4x32-10.
struct DrawNumbers {
  unsigned key[2];
  unsigned counter[4];
  unsigned block[4];
  unsigned next;
};
static __device__ void next_block(DrawNumbers& of) {
  unsigned k0 = of.key[0];
  unsigned k1 = of.key[1];
  unsigned a = of.counter[0];
  unsigned b = of.counter[1];
  unsigned c = of.counter[2];
  unsigned d = of.counter[3];
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
  of.block[0] = a;
  of.block[1] = b;
  of.block[2] = c;
  of.block[3] = d;
}
// One of 0 .. last.
static __device__ unsigned below_or_at(DrawNumbers& of, unsigned last) {
  if (of.next == 0) next_block(of);
  const unsigned long long high = of.next == 0 ? of.block[0] : of.block[2];
  const unsigned long long low = of.next == 0 ? of.block[1] : of.block[3];
  of.next = 2 - of.next;
  if (of.next == 0) ++of.counter[3];
  const unsigned long long range = last + 1ull;
  return static_cast<unsigned>((high * range + (low * range >> 32)) >> 32);
}

// A member of a segment, once. Whether it was drawn before.
static __device__ bool take_member(const MakeBatch& a, const DrawJob& job, unsigned member,
                                   Number weight) {
  const BatchTables& t = *a.tables;
  const unsigned long long number = job.drawn + member;
  const unsigned long long bit = 1ull << number % 64;
  if ((atomicOr(&t.reached[number / 64], bit) & bit) != 0) return true;
  if (job.writes == 0) return false;
  const DrawInput& of = *draw_input(a.input);
  const unsigned row = job.first_row + member;
  reinterpret_cast<Number*>(of.values)[row] = weight;
  atomicOr(&reinterpret_cast<unsigned long long*>(of.drawn)[row / 64], 1ull << row % 64);
  for (unsigned s = 0; s < t.weight_section_count; ++s) {
    const WeightSection& section = t.weight_sections[s];
    if (section.weights == t.draw_weights) insert_number(t, section.first + row / section.unit);
  }
  return false;
}

static __device__ void draw_members(const MakeBatch& a, const DrawJob& job, unsigned segment) {
  const BatchTables& t = *a.tables;
  const unsigned first = job.begins != nullptr ? job.begins[segment] : segment * job.members;
  const unsigned count = job.begins != nullptr ? job.begins[segment + 1] - first : job.members;
  const unsigned k = count < job.limit ? count : job.limit;
  if (k == 0) return;
  double weight = 1;
  if (job.counts == kInMean) weight = 1.0 / static_cast<double>(k);
  if (job.counts == kInSum && job.is_scaled != 0) {
    weight = static_cast<double>(count) / static_cast<double>(k);
  }
  const auto number = static_cast<Number>(weight);
  if (count <= job.limit) {
    for (unsigned i = 0; i < count; ++i) take_member(a, job, first + i, number);
    return;
  }
  const unsigned long long run = draw_input(a.input)->run;
  DrawNumbers numbers = {
      {t.draw_key[0], t.draw_key[1]},
      {job.first_owner + segment, static_cast<unsigned>(run), static_cast<unsigned>(run >> 32), 0},
      {0, 0, 0, 0},
      0};
  // Of 0 .. last one more than of 0 .. last - 1 before.
  for (unsigned last = count - k; last < count; ++last) {
    const unsigned place = below_or_at(numbers, last);
    if (take_member(a, job, first + place, number)) take_member(a, job, first + last, number);
  }
}

}  // namespace vecc_kernel
