// Kernel prelude, CUDA only: what a batch reaches, found by a search (SearchJob) from the rows of
// its weights on. Kernels, each a step; every job of a step looks at sets that steps before it have
// made, a bit a number. It stands behind draw_members.h.
namespace vecc_kernel {

// First step: weights of the batch before are 0 again.
static __device__ __forceinline__ void forget_weights(const MakeBatch& a) {
  wait_for_step();
  if (a.input->draw != 0) forget_drawn(*draw_input(a.input));
  for (unsigned w = 0; w < a.input->sets; ++w) {
    const WeightRows of = weight_rows(a.input)[w];
    const unsigned* const rows = items_at<unsigned>(a.input, of.first_before);
    Number* const values = reinterpret_cast<Number*>(of.values);
    for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < of.before;
         i += kUniteBlocks * kThreads) {
      values[rows[i]] = 0;
    }
  }
}

// Second step: the numbers that are set, and those that are not 0.
static __device__ __forceinline__ void take_weights(const MakeBatch& a) {
  wait_for_step();
  const BatchTables& t = *a.tables;
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
  const NumberWrite* const writes = reinterpret_cast<const NumberWrite*>(a.input + 1);
  for (unsigned i = thread; i < a.input->writes; i += kUniteBlocks * kThreads) {
    *writes[i].to = writes[i].value;
  }
  for (unsigned w = 0; w < a.input->sets; ++w) {
    const WeightRows of = weight_rows(a.input)[w];
    const unsigned* const rows = items_at<unsigned>(a.input, of.first_row);
    const Number* const from = items_at<Number>(a.input, of.first_value);
    Number* const values = reinterpret_cast<Number*>(of.values);
    for (unsigned i = thread; i < of.count; i += kUniteBlocks * kThreads) {
      values[rows[i]] = from[i];
    }
  }
  if (a.input->draw != 0) take_samples(t, a.input);
  for (unsigned s = 0; s < t.weight_section_count; ++s) {
    const WeightSection section = t.weight_sections[s];
    const WeightRows of = weight_rows(a.input)[section.weights];
    const unsigned* const rows = items_at<unsigned>(a.input, of.first_row);
    for (unsigned i = thread; i < of.count; i += kUniteBlocks * kThreads) {
      insert_number(t, section.first + rows[i] / section.unit);
    }
  }
}

static __device__ __forceinline__ unsigned apply(const NumberMap& map, unsigned number) {
  if (map.is_zero != 0) return 0;
  unsigned n = map.list != nullptr ? map.list[number] : number;
  if (map.divisor != 0) n /= map.divisor;
  if (map.remainder != 0) n %= map.remainder;
  return n;
}

// What a row names: `count` numbers.
struct Named {
  unsigned row;
  unsigned first;
  unsigned count;
};
static __device__ Named named_by(const SearchJob& job, unsigned long long number) {
  const unsigned long long place = number - job.source;
  const auto row = static_cast<unsigned>(job.size == 1 ? place : place / job.size);
  if (row >= job.limit) return {row, 0, 0};
  const unsigned from = apply(job.before, row);
  if (job.expand == kItself) return {row, from, 1};
  if (job.expand == kFixedMembers) return {row, from * job.members, job.members};
  if (job.expand == kStridedMembers) return {row, from, job.members};
  return {row, job.begins[from], job.begins[from + 1] - job.begins[from]};
}

static __device__ void put(const BatchTables& t, const SearchJob& job, const Named& of,
                           unsigned k) {
  unsigned named = of.first + (job.expand == kStridedMembers ? k * job.stride : k);
  if (job.expand == kReaders) named = job.readers[named];
  for (unsigned i = job.end_copies; i < job.end_target; ++i) {
    const SearchTarget& to = t.search_targets[i];
    if (to.only != kNoNumber && !has_number(t, to.only + apply(to.owner, named))) continue;
    const unsigned long long place =
        (to.to_row != 0 ? of.row : apply(to.after, named)) * 1ull * to.size;
    if (to.unless != kNoNumber && has_number(t, to.unless + place)) continue;
    for (unsigned n = 0; n < to.size; ++n) insert_number(t, to.first + place + n);
  }
}

// Numbers first .. end - 1 of word `word`.
static __device__ __forceinline__ unsigned long long mask_of(unsigned long long word,
                                                             unsigned long long first,
                                                             unsigned long long end) {
  if (first >= end || word < first / 64 || word > (end - 1) / 64) return 0;
  unsigned long long mask = ~0ull;
  if (word == first / 64) mask &= ~0ull << first % 64;
  if (word == (end - 1) / 64) mask &= ~0ull >> (63 - (end - 1) % 64);
  return mask;
}

static __device__ void fill_chunk(const BatchTables& t, const SearchJob& job,
                                  const SearchChunk& chunk) {
  if (job.source != kNoNumber && !has_any(t, job.source, job.source + job.count)) return;
  if (threadIdx.x >= chunk.words) return;
  const unsigned long long word = chunk.word + threadIdx.x;
  const unsigned long long first = t.search_targets[job.first_target].first;
  const unsigned long long mask = mask_of(word, first, first + job.limit);
  if (mask != 0) atomicOr(&t.reached[word], mask);
}

// Rows that name more numbers than so many are left to all threads of a block.
constexpr unsigned kFewNamed = 32;

// Words of the source as they are, of a thread.
static __device__ __forceinline__ void copy_word(const BatchTables& t, const SearchJob& job,
                                                 unsigned long long word, unsigned long long bits) {
  for (unsigned i = job.first_target; i < job.end_copies; ++i) {
    unsigned long long* const to =
        &t.reached[t.search_targets[i].first / 64 + word - job.source / 64];
    if ((*to & bits) != bits) atomicOr(to, bits);
  }
}

static __device__ void walk_chunk(const MakeBatch& a, const SearchJob& job,
                                  const SearchChunk& chunk) {
  __shared__ unsigned long long words[kSearchWords];
  __shared__ unsigned before[kSearchWords];
  __shared__ Named many[kThreads];
  __shared__ unsigned many_count;
  const BatchTables& t = *a.tables;
  const unsigned long long word = chunk.word + threadIdx.x;
  const unsigned long long mask =
      threadIdx.x < chunk.words ? mask_of(word, job.source, job.source + job.count) : 0;
  const unsigned long long bits = mask != 0 ? t.reached[word] & mask : 0;
  if (bits != 0) copy_word(t, job, word, bits);
  if (job.kind == kWalk && job.end_copies == job.end_target) return;
  if (threadIdx.x == 0) many_count = 0;
  __syncthreads();
  if (bits != 0) many_count = 1;
  __syncthreads();
  if (many_count == 0) return;
  unsigned size;
  const unsigned own = scan_block(__popcll(bits), size);
  if (threadIdx.x < chunk.words) {
    words[threadIdx.x] = bits;
    before[threadIdx.x] = own;
  }
  const auto number_at = [&](unsigned i) {
    const unsigned w = find_last(before, chunk.words, i);
    return (chunk.word + w) * 64ull + select_bit(words[w], i - before[w]);
  };
  if (job.kind == kDraw) {
    __syncthreads();
    const DrawJob draw = t.draws[job.draw];
    const unsigned lanes = drawing_lanes(draw);
    for (unsigned i = threadIdx.x / lanes; i < size; i += kThreads / lanes) {
      draw_members(a, draw, static_cast<unsigned>(number_at(i) - job.source));
    }
    return;
  }
  for (unsigned first = 0; first < size; first += kThreads) {
    if (threadIdx.x == 0) many_count = 0;
    __syncthreads();
    const unsigned i = first + threadIdx.x;
    if (i < size) {
      const Named of = named_by(job, number_at(i));
      if (of.count > kFewNamed) {
        many[atomicAdd(&many_count, 1u)] = of;
      } else {
        for (unsigned k = 0; k < of.count; ++k) put(t, job, of, k);
      }
    }
    __syncthreads();
    for (unsigned m = 0; m < many_count; ++m) {
      for (unsigned k = threadIdx.x; k < many[m].count; k += kThreads) put(t, job, many[m], k);
    }
    __syncthreads();
  }
}

// A further step: a block a chunk of its jobs' sources.
static __device__ __forceinline__ void search_step(const MakeBatch& a) {
  wait_for_step();
  const BatchTables& t = *a.tables;
  const SearchChunk chunk = t.search_chunks[a.first_chunk + blockIdx.x];
  const SearchJob job = t.search_jobs[chunk.job];
  job.kind == kFill ? fill_chunk(t, job, chunk) : walk_chunk(a, job, chunk);
}

}  // namespace vecc_kernel
