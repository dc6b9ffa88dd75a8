// Kernel prelude, CUDA only: the image of a batch (BatchLayout) is made on the device, of what its
// weights' rows reach. Five kernels, each a step; every number has its place by prefix sums, so
// that images are those that the host makes. It stands behind mark_numbers.h.
namespace vecc_kernel {

// Numbers that a job has; those at positions before one.
static __device__ __forceinline__ unsigned size_of(const BatchTables& t, unsigned job) {
  const NumberJob& of = t.jobs[job];
  const unsigned chunks = of.count / 64 / kChunkWords + 1;
  return t.chunk_begins[of.first_chunk + chunks] - t.chunk_begins[of.first_chunk];
}
static __device__ __forceinline__ unsigned rank_of(const BatchTables& t, unsigned job,
                                                   unsigned position) {
  const NumberJob& of = t.jobs[job];
  const unsigned long long word = of.first_chunk * 1ull * kChunkWords + position / 64;
  const unsigned long long below = t.words[word] & ~(~0ull << position % 64);
  return t.chunk_begins[word / kChunkWords] - t.chunk_begins[of.first_chunk] + t.before[word] +
         __popcll(below);
}

static __device__ __forceinline__ bool uses(const BatchTables& t, const BatchArray& array) {
  const LaunchRows& launch = t.launches[array.launch];
  const unsigned rows = size_of(t, launch.rows_job);
  return rows > 0 && (launch.drops != 0 || rows < launch.rows);
}
// Of array_places: the launch has none in this batch; it has that of a launch before.
constexpr unsigned long long kUnused = kNoNumber;
constexpr unsigned long long kShared = kNoNumber - 1;
constexpr unsigned long long kFirst = 0;
static __device__ __forceinline__ unsigned long long kind_of(const BatchTables& t, unsigned array) {
  if (!uses(t, t.arrays[array])) return kUnused;
  for (unsigned b = t.arrays[array].before; b != kNoPlace; b = t.arrays[b].before) {
    if (uses(t, t.arrays[b])) return kShared;
  }
  return kFirst;
}
static __device__ __forceinline__ unsigned entries_of(const BatchTables& t, unsigned array) {
  const BatchArray& of = t.arrays[array];
  return size_of(t, of.job) + (of.kind == kOffsets ? 1 : 0);
}

static __device__ __forceinline__ unsigned long long align_16(unsigned long long at) {
  return (at + 15) / 16 * 16;
}

// Where everything lies in the image. (What a thread keeps of an array is read by itself: to find
// it takes a chain of loads.)
static __device__ void place_arrays(const MakeBatch& a) {
  const BatchTables& t = *a.tables;
  for (unsigned i = threadIdx.x; i < t.array_count; i += kThreads) {
    const unsigned long long kind = kind_of(t, i);
    t.array_places[i] = kind;
    t.array_begins[i] = kind == kFirst ? entries_of(t, i) : 0;
  }
  const auto place = [&](unsigned narrow) {
    return scan_all(
        t.array_count,
        [&](unsigned i) { return t.arrays[i].narrow == narrow ? t.array_begins[i] : 0; },
        [&](unsigned i, unsigned begin) {
          if (t.arrays[i].narrow == narrow) t.array_begins[i] = begin;
        });
  };
  const unsigned wide = place(0);
  const unsigned narrow = place(1);
  const unsigned long long zeros_end = t.fixed + t.zero_begins[t.rest_count] * sizeof(MadeZeros);
  const unsigned long long wide_begin = align_16(zeros_end);
  const unsigned long long wide_end = wide_begin + wide * sizeof(unsigned);
  const unsigned long long narrow_begin = align_16(wide_end);
  const unsigned long long narrow_end = narrow_begin + narrow * sizeof(unsigned short);
  if (threadIdx.x == 0) *t.image_bytes = align_16(narrow_end);
  if (align_16(narrow_end) > a.capacity) return;
  __syncthreads();
  for (unsigned i = threadIdx.x; i < t.array_count; i += kThreads) {
    if (t.array_places[i] != kFirst) continue;
    const unsigned long long at = t.arrays[i].narrow != 0
                                      ? narrow_begin + t.array_begins[i] * sizeof(unsigned short)
                                      : wide_begin + t.array_begins[i] * sizeof(unsigned);
    if (t.arrays[i].kind == kOffsets) {
      reinterpret_cast<unsigned*>(a.image + at)[size_of(t, t.arrays[i].job)] =
          size_of(t, t.arrays[i].members);
    }
    t.array_places[i] = at;
  }
  // What lies between them.
  if (zeros_end + threadIdx.x < wide_begin) a.image[zeros_end + threadIdx.x] = 0;
  if (wide_end + threadIdx.x < narrow_begin) a.image[wide_end + threadIdx.x] = 0;
  if (narrow_end + threadIdx.x < align_16(narrow_end)) a.image[narrow_end + threadIdx.x] = 0;
}

static __device__ void patch_bounds(const MakeBatch& a) {
  const BatchTables& t = *a.tables;
  const auto runs = [&](unsigned launch) { return size_of(t, t.launches[launch].rows_job) > 0; };
  for (unsigned i = threadIdx.x; i < t.patch_count; i += kThreads) {
    const BatchPatch patch = t.patches[i];
    if (patch.kind == kRowCount) {
      *reinterpret_cast<unsigned*>(a.image + patch.at) =
          runs(patch.index) ? size_of(t, t.launches[patch.index].rows_job)
                            : *reinterpret_cast<const unsigned*>(a.bounds + patch.at);
      continue;
    }
    unsigned long long value = *reinterpret_cast<const unsigned long long*>(a.bounds + patch.at);
    if (patch.kind == kStored) {
      if (runs(patch.index) && !has_number(t, patch.number)) value = t.nowhere;
    } else if (t.array_places[patch.index] != kUnused) {
      unsigned first = patch.index;
      while (t.array_places[first] >= kShared) first = t.arrays[first].before;
      value = reinterpret_cast<unsigned long long>(a.image) + t.array_places[first];
    }
    *reinterpret_cast<unsigned long long*>(a.image + patch.at) = value;
  }
}

// Fourth step, one block.
static __device__ __forceinline__ void place_numbers(const MakeBatch& a) {
  wait_for_step();
  const BatchTables& t = *a.tables;
  const unsigned numbers = scan_all(
      t.chunks, [&](unsigned i) { return t.chunk_sizes[i]; },
      [&](unsigned i, unsigned begin) { t.chunk_begins[i] = begin; });
  if (threadIdx.x == 0) t.chunk_begins[t.chunks] = numbers;
  __syncthreads();
  const unsigned zeros = scan_all(
      t.rest_count, [&](unsigned i) { return size_of(t, t.rest_jobs[i]); },
      [&](unsigned i, unsigned begin) { t.zero_begins[i] = begin; });
  if (threadIdx.x == 0) t.zero_begins[t.rest_count] = zeros;
  __syncthreads();
  place_arrays(a);
  __syncthreads();
  patch_bounds(a);
}

// A number of a job, that at `position`, the one number `rank` of its.
static __device__ void write_number(const MakeBatch& a, const NumberJob& job, unsigned position,
                                    unsigned rank) {
  const BatchTables& t = *a.tables;
  const unsigned counter = job.order != nullptr ? job.order[position] : position;
  if (job.kind == kRestNumbers) {
    const RestStore& store = t.rests[job.rest];
    MadeZeros* const zeros = reinterpret_cast<MadeZeros*>(a.image + t.fixed);
    zeros[t.zero_begins[job.rest] + rank] = {store.address + counter * store.row_bytes, store.count,
                                             store.value};
    return;
  }
  for (unsigned u = job.first_use; u < job.end_use; ++u) {
    const unsigned long long place = t.array_places[t.job_uses[u]];
    if (place >= kShared) continue;
    const BatchArray& array = t.arrays[t.job_uses[u]];
    unsigned entry = array.list != nullptr ? array.list[counter] : counter;
    if (array.kind == kOffsets) entry = rank_of(t, array.members, array.begins[counter]);
    unsigned char* const to = a.image + place;
    if (array.narrow != 0) {
      reinterpret_cast<unsigned short*>(to)[rank] = static_cast<unsigned short>(entry);
    } else {
      reinterpret_cast<unsigned*>(to)[rank] = entry;
    }
  }
}

static __device__ void write_chunk(const MakeBatch& a, unsigned chunk) {
  __shared__ unsigned long long words[kChunkWords];
  __shared__ unsigned before[kChunkWords];
  const BatchTables& t = *a.tables;
  for (unsigned w = chunk * kThreads + threadIdx.x; w < t.reached_words; w += t.chunks * kThreads) {
    t.reached[w] = 0;
  }
  const unsigned size = t.chunk_sizes[chunk];
  if (size == 0 || *t.image_bytes > a.capacity) return;
  const unsigned long long place = chunk * 1ull * kChunkWords + threadIdx.x;
  words[threadIdx.x] = t.words[place];
  before[threadIdx.x] = t.before[place];
  __syncthreads();
  const NumberJob job = t.jobs[t.chunk_jobs[chunk]];
  const unsigned first_word = (chunk - job.first_chunk) * kChunkWords;
  const unsigned first_rank = t.chunk_begins[chunk] - t.chunk_begins[job.first_chunk];
  for (unsigned i = threadIdx.x; i < size; i += kThreads) {
    const unsigned w = find_last(before, kChunkWords, i);
    const unsigned position = (first_word + w) * 64 + select_bit(words[w], i - before[w]);
    write_number(a, job, position, first_rank + i);
  }
}

// Rows that a segment has in a batch.
struct SegmentRows {
  unsigned begin;
  unsigned end;
};
static __device__ SegmentRows rows_of(const BatchTables& t, const BlockSegment& of) {
  const LaunchRows& launch = t.launches[of.launch];
  if (of.kind == kZeroRows) {
    return {t.zero_begins[launch.first_zeros], t.zero_begins[launch.end_zeros]};
  }
  const unsigned rows = size_of(t, launch.rows_job);
  const bool is_whole = launch.drops == 0 && rows == launch.rows;
  if (rows == 0 || is_whole != (of.kind == kWholeRows)) return {0, 0};
  if (of.kind == kWholeRows) return {of.begin, of.end};
  if (of.kind == kSomeRows) return {0, rows};
  return {rank_of(t, launch.rows_job, of.begin), rank_of(t, launch.rows_job, of.end)};
}

// rows_of_block(); of Zeros kZerosOfBlock.
static __device__ unsigned block_rows(const BatchTables& t, const BatchNode& node,
                                      const BlockSegment& of) {
  if (of.kind == kZeroRows) return kZerosOfBlock;
  unsigned most = node.rows;
  if (node.is_product == 0) return most;
  const unsigned long long rows = size_of(t, t.launches[of.launch].rows_job);
  while (most > t.fewest_product_rows && rows * node.parts < most * 1ull * t.multiprocessors)
    most /= 2;
  return most;
}

static __device__ unsigned block_count(const BatchTables& t, const BatchNode& node,
                                       const BlockSegment& of, unsigned turns) {
  const SegmentRows rows = rows_of(t, of);
  if (rows.begin == rows.end) return 0;
  const unsigned long long step = block_rows(t, node, of) * 1ull * turns;
  const auto steps = static_cast<unsigned>((rows.end - rows.begin + step - 1) / step);
  return of.kind == kZeroRows ? steps : steps * node.parts;
}

// BatchCutter::cut(), a block of threads a node.
static __device__ void cut_node(const MakeBatch& a, unsigned number) {
  const BatchTables& t = *a.tables;
  const BatchNode node = t.nodes[number];
  const BlockSegment* const segments = t.segments + node.first_segment;
  unsigned* const begins = t.segment_begins + node.first_segment;
  const unsigned count = node.end_segment - node.first_segment;
  unsigned turns = 1;
  unsigned blocks = 0;
  for (;; turns *= 2) {
    blocks = scan_all(
        count, [&](unsigned i) { return block_count(t, node, segments[i], turns); },
        [&](unsigned i, unsigned begin) { begins[i] = begin; });
    if (blocks <= node.block_count) break;
  }
  __syncthreads();
  MadeBlock* const to = reinterpret_cast<MadeBlock*>(a.image + node.blocks);
  for (unsigned b = threadIdx.x; b < node.block_count; b += kThreads) {
    if (b >= blocks) {
      to[b] = {0, 0, 0, 0};
      continue;
    }
    const unsigned s = find_last(begins, count, b);
    const BlockSegment& of = segments[s];
    const unsigned parts = of.kind == kZeroRows ? 1 : node.parts;
    const SegmentRows rows = rows_of(t, of);
    const unsigned long long step = block_rows(t, node, of) * 1ull * turns;
    const unsigned long long begin = rows.begin + (b - begins[s]) / parts * step;
    const unsigned long long end = begin + step < rows.end ? begin + step : rows.end;
    const unsigned type =
        of.kind == kZeroRows ? kMadeZeros : of.type * parts + (b - begins[s]) % parts;
    to[b] = {static_cast<unsigned>(begin), static_cast<unsigned>(end), type, of.number};
  }
}

// Fifth step: nodes, then chunks.
static __device__ __forceinline__ void write_image(const MakeBatch& a) {
  wait_for_step();
  const unsigned nodes = a.tables->node_count;
  blockIdx.x < nodes ? cut_node(a, blockIdx.x) : write_chunk(a, blockIdx.x - nodes);
}

}  // namespace vecc_kernel
