// Keys of a step in ascending order, for entities and relations at once: runs that a block sorts,
// then passes that make kMergedRuns runs one. All keys differ, so that a key's place is the number
// of those that are smaller.
namespace vecc_kernel {

// A block's list, and its number among the blocks of that list.
struct ListBlock {
  const KeyList* list;
  unsigned count;
  unsigned block;

  __device__ __forceinline__ ListBlock(const Bound& a, unsigned keys_of_block) {
    const unsigned entity_blocks = whole_units(a.entity_keys.most, keys_of_block);
    const Batch batch(a, a.state->now);
    const bool is_entity = blockIdx.x < entity_blocks;
    list = is_entity ? &a.entity_keys : &a.relation_keys;
    count = is_entity ? batch.parts(a) : batch.queries;
    block = is_entity ? blockIdx.x : blockIdx.x - entity_blocks;
  }
};

// Bitonic: stretches of 2, 4, ... keys become ascending and descending in turn.
VECC_KG_FN void sort_run(const Bound& a) {
  __shared__ Key keys[kSortedRun];
  const ListBlock at(a, kSortedRun);
  const unsigned first = at.block * kSortedRun;
  if (first >= at.count) return;
  const unsigned count = smaller(kSortedRun, at.count - first);
  unsigned size = 2;
  while (size < count) size *= 2;
  for (unsigned i = threadIdx.x; i < size; i += kSortThreads) {
    keys[i] = i < count ? at.list->keys[first + i] : ~static_cast<Key>(0);
  }
  __syncthreads();
  for (unsigned stretch = 2; stretch <= size; stretch *= 2) {
    for (unsigned step = stretch / 2; step > 0; step /= 2) {
      for (unsigned t = threadIdx.x; t < size / 2; t += kSortThreads) {
        const unsigned i = 2 * t - (t & (step - 1));
        const Key low = keys[i];
        const Key high = keys[i + step];
        if ((low > high) == ((i & stretch) == 0)) {
          keys[i] = high;
          keys[i + step] = low;
        }
      }
      __syncthreads();
    }
  }
  for (unsigned i = threadIdx.x; i < count; i += kSortThreads) at.list->to[first + i] = keys[i];
}

// The first of keys[begin .. end - 1], ascending, that is not below `key`.
VECC_KG_FN unsigned lower_bound(const Key* keys, unsigned begin, unsigned end, Key key) {
  while (begin < end) {
    const unsigned middle = begin + (end - begin) / 2;
    if (keys[middle] < key) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

// kMergedRuns lanes a key, each counts the smaller ones of a run.
VECC_KG_FN void merge_runs(const Bound& a) {
  const ListBlock at(a, kMergeThreads / kMergedRuns);
  const unsigned lane = threadIdx.x % kMergedRuns;
  const unsigned i = at.block * (kMergeThreads / kMergedRuns) + threadIdx.x / kMergedRuns;
  const bool is_key = i < at.count;
  const Key key = is_key ? at.list->from[i] : 0;
  const unsigned long long group = static_cast<unsigned long long>(a.run) * kMergedRuns;
  const unsigned long long base = i / group * group;
  const unsigned long long begin = base + lane * static_cast<unsigned long long>(a.run);
  unsigned smaller_keys = 0;
  if (is_key && begin < at.count) {
    const unsigned from = static_cast<unsigned>(begin);
    const unsigned end = from + smaller(a.run, at.count - from);
    const bool is_own = i >= from && i < end;
    smaller_keys = (is_own ? i : lower_bound(at.list->from, from, end, key)) - from;
  }
  for (unsigned step = 1; step < kMergedRuns; step *= 2) {
    smaller_keys += __shfl_xor_sync(~0u, smaller_keys, static_cast<int>(step));
  }
  if (is_key && lane == 0) at.list->to[base + smaller_keys] = key;
}

}  // namespace vecc_kernel
