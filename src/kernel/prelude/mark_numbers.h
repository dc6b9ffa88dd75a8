// Kernel prelude, CUDA only: which numbers a batch has that is made on the device (make_batch.h):
// the first three of its kernels. It stands behind batch_tables.h.
namespace vecc_kernel {

static __device__ __forceinline__ void wait_for_step() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

constexpr unsigned kWarpLanes = 32;

// Of a block: the sum of what the threads before this one have. `total`: of all.
static __device__ __forceinline__ unsigned scan_block(unsigned value, unsigned& total) {
  constexpr unsigned kWarps = kThreads / kWarpLanes;
  __shared__ unsigned sums[kWarps];
  const unsigned lane = threadIdx.x % kWarpLanes;
  const unsigned warp = threadIdx.x / kWarpLanes;
  unsigned own = value;
  for (unsigned step = 1; step < kWarpLanes; step *= 2) {
    const unsigned other = __shfl_up_sync(~0u, own, step);
    if (lane >= step) own += other;
  }
  if (lane == kWarpLanes - 1) sums[warp] = own;
  __syncthreads();
  total = 0;
  for (unsigned w = 0; w < kWarps; ++w) {
    if (w == warp) own += total;
    total += sums[w];
  }
  __syncthreads();
  return own - value;
}

// Of a block: visit(i, sum of value(j) for j < i). Returns the sum of all.
template <class Value, class Visit>
static __device__ __forceinline__ unsigned scan_all(unsigned count, Value value, Visit visit) {
  unsigned before = 0;
  for (unsigned first = 0; first < count; first += kThreads) {
    const unsigned i = first + threadIdx.x;
    unsigned total;
    const unsigned own = scan_block(i < count ? value(i) : 0, total);
    if (i < count) visit(i, before + own);
    before += total;
  }
  return before;
}

// The place of number `k` among the bits.
static __device__ __forceinline__ unsigned select_bit(unsigned long long bits, unsigned k) {
  unsigned at = 0;
  for (unsigned half = 32; half > 0; half /= 2) {
    const unsigned low = __popcll(bits >> at & ((1ull << half) - 1));
    if (k < low) continue;
    k -= low;
    at += half;
  }
  return at;
}

// The last of `count` begins, which rise, that is not above `number`.
static __device__ __forceinline__ unsigned find_last(const unsigned* begins, unsigned count,
                                                     unsigned number) {
  unsigned low = 0;
  while (count - low > 1) {
    const unsigned middle = (low + count) / 2;
    (begins[middle] <= number ? low : count) = middle;
  }
  return low;
}

static __device__ __forceinline__ bool has_number(const BatchTables& t, unsigned long long number) {
  return (t.reached[number / 64] >> number % 64 & 1) != 0;
}

static __device__ __forceinline__ bool has_whole(const BatchTables& t, unsigned long long whole) {
  return whole != kNoNumber && has_number(t, whole);
}

// Whether one of numbers begin .. end - 1 is there.
static __device__ bool has_any(const BatchTables& t, unsigned long long begin,
                               unsigned long long end) {
  if (begin >= end) return false;
  const unsigned long long last = (end - 1) / 64;
  for (unsigned long long w = begin / 64; w <= last; ++w) {
    unsigned long long bits = t.reached[w];
    if (w == begin / 64) bits &= ~0ull << begin % 64;
    if (w == last) bits &= ~0ull >> (63 - (end - 1) % 64);
    if (bits != 0) return true;
  }
  return false;
}

// WeightReach::is_stored().
static __device__ bool stores(const BatchTables& t, const RestStore& store, unsigned reader,
                              bool of_row) {
  if (!of_row) return has_number(t, store.members + reader);
  unsigned row = reader;
  if (store.owners != nullptr) row = store.owners[reader];
  if (store.divisor != 0) row = reader / store.divisor;
  if (store.remainder != 0) row = reader % store.remainder;
  if (store.row_members != nullptr) {
    return has_any(t, store.members + store.row_members[row],
                   store.members + store.row_members[row + 1]);
  }
  return has_whole(t, store.whole) || has_number(t, store.rows + row);
}
static __device__ bool has_store(const BatchTables& t, const RestStore& store, unsigned row,
                                 bool of_row) {
  const unsigned place = row - store.first_row;  // of a row before it: more than any
  if (place >= store.limit) return false;
  if (store.reader_begins != nullptr) {
    for (unsigned i = store.reader_begins[place]; i < store.reader_begins[place + 1]; ++i) {
      if (stores(t, store, store.readers[i], of_row)) return true;
    }
    return false;
  }
  return stores(t, store, store.readers != nullptr ? store.readers[place] : row, of_row);
}
static __device__ bool is_stored(const BatchTables& t, const RestStore& store, unsigned row) {
  return has_store(t, store, row, true) &&
         (store.by_members == 0 || has_store(t, store, row, false));
}

// Of a number that the batch has, a member: whether its row runs.
static __device__ __forceinline__ bool has_row(const BatchTables& t, const NumberJob& job,
                                               unsigned member) {
  return has_whole(t, job.whole) || has_number(t, job.rows_first + job.owners[member]);
}

// Of positions first .. first + count - 1, at most kAtOnce, those that are kept, as bits. What they
// load is in flight together: in turn, each would wait for four loads one after another.
constexpr unsigned kAtOnce = 8;
static __device__ unsigned kept_of(const BatchTables& t, const NumberJob& job, unsigned first,
                                   unsigned count) {
  const bool by_members = job.kind == kOwnerNumbers;
  unsigned counters[kAtOnce];
  unsigned long long begins[kAtOnce];
  unsigned long long ends[kAtOnce];
  unsigned long long words[kAtOnce];
#pragma unroll
  for (unsigned k = 0; k < kAtOnce; ++k) {
    const unsigned position = first + (k < count ? k : 0);
    counters[k] = job.order != nullptr ? job.order[position] : position;
  }
#pragma unroll
  for (unsigned k = 0; k < kAtOnce; ++k) {
    begins[k] = job.first + (by_members ? job.begins[counters[k]] : counters[k]);
    ends[k] = by_members ? job.first + job.begins[counters[k] + 1] : begins[k] + 1;
  }
#pragma unroll
  for (unsigned k = 0; k < kAtOnce; ++k) {
    words[k] = begins[k] < ends[k] ? t.reached[begins[k] / 64] : 0;
  }
  unsigned kept = 0;
#pragma unroll
  for (unsigned k = 0; k < kAtOnce; ++k) {
    if (k >= count || begins[k] >= ends[k]) continue;
    const unsigned long long last = ends[k] - 1;
    unsigned long long bits = words[k] & ~0ull << begins[k] % 64;
    if (last / 64 == begins[k] / 64) bits &= ~0ull >> (63 - last % 64);
    bool is_kept = bits != 0;
    if (by_members) {
      is_kept = is_kept || has_any(t, (begins[k] / 64 + 1) * 64, ends[k]);
    }
    kept |= static_cast<unsigned>(is_kept) << k;
  }
  return kept;
}

// Positions 64 * word + i that are kept, for bits i; of members, those that are there.
static __device__ unsigned long long kept_word(const BatchTables& t, const NumberJob& job,
                                               unsigned word) {
  if (word * 64ull >= job.count) return 0;
  const unsigned first = word * 64;
  const unsigned end = job.count - first < 64 ? job.count : first + 64;
  if (job.kind == kRowNumbers && has_whole(t, job.whole)) return ~0ull >> (64 - (end - first));
  if (job.order == nullptr && job.kind != kOwnerNumbers) {
    return t.reached[job.first / 64 + word];  // first is a multiple of 64
  }
  if (job.order == nullptr &&
      !has_any(t, job.first + job.begins[first], job.first + job.begins[end])) {
    return 0;
  }
  unsigned long long kept = 0;
  for (unsigned at = first; at < end; at += kAtOnce) {
    const unsigned count = end - at < kAtOnce ? end - at : kAtOnce;
    kept |= static_cast<unsigned long long>(kept_of(t, job, at, count)) << (at - first);
  }
  return kept;
}

// First step: the numbers that are set, and what the batch reaches.
static __device__ __forceinline__ void unite_sets(const MakeBatch& a) {
  wait_for_step();
  const BatchTables& t = *a.tables;
  const unsigned write_count = a.input->writes;
  const unsigned set_count = a.input->sets;
  const NumberWrite* const writes = reinterpret_cast<const NumberWrite*>(a.input + 1);
  const unsigned* const sets = reinterpret_cast<const unsigned*>(writes + write_count);
  for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < write_count;
       i += kUniteBlocks * kThreads) {
    *writes[i].to = writes[i].value;
  }
  for (unsigned s = blockIdx.x; s <= set_count; s += kUniteBlocks) {
    const unsigned set = s == 0 ? 0 : sets[s - 1];
    for (unsigned i = t.set_begins[set] + threadIdx.x; i < t.set_begins[set + 1]; i += kThreads) {
      atomicOr(&t.reached[t.set_words[i]], t.set_bits[i]);
    }
  }
}

// Second step, of what may be at rest, a block a RestChunk: rows that are. A thread looks at few of
// them, for each is a chain of loads.
static __device__ __forceinline__ void mark_rests(const MakeBatch& a) {
  wait_for_step();
  __shared__ unsigned long long kept[kRestWords];
  const BatchTables& t = *a.tables;
  const RestChunk chunk = t.rest_chunks[blockIdx.x];
  const NumberJob job = t.jobs[chunk.job];
  if (threadIdx.x < kRestWords) kept[threadIdx.x] = 0;
  __syncthreads();
  const unsigned most = chunk.first + kRestWords * 64;
  const unsigned end = job.count < most ? job.count : most;
  for (unsigned i = chunk.first + threadIdx.x; i < end; i += kThreads) {
    if (!has_number(t, job.first + i) || is_stored(t, t.rests[job.rest], i)) continue;
    atomicOr(&kept[(i - chunk.first) / 64], 1ull << i % 64);
  }
  __syncthreads();
  if (threadIdx.x >= kRestWords) return;
  t.words[job.first_chunk * 1ull * kChunkWords + chunk.first / 64 + threadIdx.x] =
      kept[threadIdx.x];
}

static_assert(kChunkWords == kThreads, "a thread a word of a chunk");

// Of members those whose rows run, a word a thread. They lie close together, those of a row, and to
// look at each takes a chain of loads: all threads of a block share what its words have.
static __device__ unsigned long long with_rows(const BatchTables& t, const NumberJob& job,
                                               unsigned first_word, unsigned long long members) {
  __shared__ unsigned long long words[kThreads];
  __shared__ unsigned long long kept[kThreads];
  __shared__ unsigned before[kThreads];
  unsigned size;
  before[threadIdx.x] = scan_block(__popcll(members), size);
  words[threadIdx.x] = members;
  kept[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = threadIdx.x; i < size; i += kThreads) {
    const unsigned w = find_last(before, kThreads, i);
    const unsigned bit = select_bit(words[w], i - before[w]);
    if (has_row(t, job, (first_word + w) * 64 + bit)) atomicOr(&kept[w], 1ull << bit);
  }
  __syncthreads();
  return kept[threadIdx.x];
}

// Rows that have more members than so many, on an average, are looked at by a warp each.
constexpr unsigned kLongRows = 1024;
static __device__ __forceinline__ bool has_long_rows(const NumberJob& job) {
  return job.kind == kOwnerNumbers && job.order == nullptr && job.count > 0 &&
         (job.begins[job.count] - job.begins[0]) / job.count > kLongRows;
}

// has_any() of a warp.
static __device__ bool warp_has_any(const BatchTables& t, unsigned long long begin,
                                    unsigned long long end) {
  if (begin >= end) return false;
  const unsigned lane = threadIdx.x % kWarpLanes;
  const unsigned long long last = (end - 1) / 64;
  for (unsigned long long first = begin / 64; first <= last; first += kWarpLanes) {
    const unsigned long long w = first + lane;
    unsigned long long bits = w <= last ? t.reached[w] : 0;
    if (w == begin / 64) bits &= ~0ull << begin % 64;
    if (w == last) bits &= ~0ull >> (63 - (end - 1) % 64);
    if (__ballot_sync(~0u, bits != 0) != 0) return true;
  }
  return false;
}

// Long rows that have a member, a word a thread.
static __device__ unsigned long long long_rows(const BatchTables& t, const NumberJob& job,
                                               unsigned first_word) {
  __shared__ unsigned long long kept[kThreads];
  kept[threadIdx.x] = 0;
  __syncthreads();
  const unsigned first = first_word * 64;
  const unsigned most = first + kThreads * 64;
  const unsigned end = job.count < most ? job.count : most;
  for (unsigned row = first + threadIdx.x / kWarpLanes; row < end; row += kThreads / kWarpLanes) {
    const bool has = warp_has_any(t, job.first + job.begins[row], job.first + job.begins[row + 1]);
    if (has && threadIdx.x % kWarpLanes == 0) {
      atomicOr(&kept[(row - first) / 64], 1ull << row % 64);
    }
  }
  __syncthreads();
  return kept[threadIdx.x];
}

// Third step, a block a chunk: which numbers are kept.
static __device__ __forceinline__ void mark_numbers(const MakeBatch& a) {
  wait_for_step();
  const BatchTables& t = *a.tables;
  const unsigned chunk = blockIdx.x;
  const NumberJob job = t.jobs[t.chunk_jobs[chunk]];
  const unsigned first_word = (chunk - job.first_chunk) * kChunkWords;
  unsigned long long kept;
  if (job.kind == kRestNumbers) {
    kept = t.words[chunk * 1ull * kChunkWords + threadIdx.x];
  } else if (has_long_rows(job)) {
    kept = long_rows(t, job, first_word);
  } else {
    kept = kept_word(t, job, first_word + threadIdx.x);
  }
  if (job.kind == kMemberNumbers && job.rows_first != kNoNumber) {
    kept = with_rows(t, job, first_word, kept);
  }
  unsigned total;
  const unsigned before = scan_block(__popcll(kept), total);
  const unsigned long long place = chunk * 1ull * kChunkWords + threadIdx.x;
  t.words[place] = kept;
  t.before[place] = before;
  if (threadIdx.x == 0) t.chunk_sizes[chunk] = total;
}

}  // namespace vecc_kernel
