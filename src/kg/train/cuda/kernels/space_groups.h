// transr: images M e of a chunk's negatives by each relation that it asks, a group; what blocks of
// either kind of tile (wide_spaces.h, split_spaces.h) know of groups.
#if VECC_KG_HAS_SPACES
namespace vecc_kernel {

// kSpaceRows negatives of a group, those of a block.
struct GroupNegatives {
  Group group;
  unsigned long long first;  // of all that are drawn
  unsigned long long place;  // of the images
  unsigned count;            // 0: the block has none

  __device__ __forceinline__ GroupNegatives(const Bound& a, unsigned block) : count(0) {
    const unsigned tiles = whole_units(a.negative_count, kSpaceRows);
    const unsigned number = block / tiles;
    if (a.state->failed != 0 || number >= a.groups[0]) return;
    group = Group(a, Batch(a, a.state->now), number);
    const unsigned of_chunk = block % tiles * kSpaceRows;
    count = smaller(kSpaceRows, a.negative_count - of_chunk);
    first = static_cast<unsigned long long>(group.chunk) * a.negative_count + of_chunk;
    place = static_cast<unsigned long long>(number) * a.negative_count + of_chunk;
    if (of_chunk == 0) {
      for (unsigned p = group.begin + threadIdx.x; p < group.end; p += kPairThreads) {
        a.group_of[static_cast<unsigned>(a.relation_keys.sorted[p])] = number;
      }
    }
    if (threadIdx.x < count)
      a.image_rows[place + threadIdx.x] = negative_number(a, first + threadIdx.x);
  }
  __device__ __forceinline__ const Number* row(const Bound& a, unsigned n) const {
    return n < count ? negative_row(a, first + n) : nullptr;
  }
};

// Squares of the lengths of a block's images, by warps that have columns of their own.
template <unsigned kColumnWarps>
struct ImageSquares {
  Number of_warps[kColumnWarps][kSpaceRows];

  // Four lanes side by side have numbers of one row.
  __device__ __forceinline__ void add(unsigned warp, unsigned row, Number sum, bool is_first) {
    sum += __shfl_xor_sync(~0u, sum, 1);
    sum += __shfl_xor_sync(~0u, sum, 2);
    if (threadIdx.x % 4 != 0) return;
    Number& all = of_warps[warp][row];
    all = is_first ? sum : all + sum;
  }
  __device__ __forceinline__ Number sum(unsigned row) const {
    Number all = 0;
    for (unsigned w = 0; w < kColumnWarps; ++w) all += of_warps[w][row];
    return all;
  }
};

// Of a chunk's groups those that a block adds up: each whose place among them has the rest `part`
// by a.space_parts.
struct GroupList {
  static constexpr unsigned kMost = 2 * kPairThreads;
  unsigned numbers[kMost];
  unsigned relations[kMost];
  unsigned of_warp[kPairThreads / 32];

  // Of the first `count` groups of a chunk.
  static __device__ __forceinline__ unsigned own(const Bound& a, unsigned part, unsigned count) {
    return (count + a.space_parts - 1 - part) / a.space_parts;
  }
  // Lists groups first .. first + kMost - 1, `found` being those of the chunk before; returns their
  // number.
  __device__ __forceinline__ unsigned list(const Bound& a, const Batch& batch, unsigned chunk,
                                           unsigned part, unsigned first, unsigned& found) {
    const unsigned before = own(a, part, found);
    const unsigned end = smaller(a.groups[0], first + kMost);
    for (unsigned begin = first; begin < end; begin += kPairThreads) {
      const unsigned number = begin + threadIdx.x;
      Group group;
      if (number < end) group = Group(a, batch, number);
      const bool is_own = number < end && group.chunk == chunk;
      const unsigned votes = __ballot_sync(~0u, is_own);
      __syncthreads();
      if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = static_cast<unsigned>(__popc(votes));
      __syncthreads();
      unsigned rank = found + static_cast<unsigned>(__popc(votes & ((1u << threadIdx.x % 32) - 1)));
      for (unsigned w = 0; w < kPairThreads / 32; ++w) {
        if (w < threadIdx.x / 32) rank += of_warp[w];
        found += of_warp[w];
      }
      if (!is_own || rank % a.space_parts != part) continue;
      numbers[rank / a.space_parts - before] = number;
      relations[rank / a.space_parts - before] = group.relation;
    }
    __syncthreads();
    return own(a, part, found) - before;
  }
};

}  // namespace vecc_kernel
#endif
