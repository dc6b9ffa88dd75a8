// Which parts the gradient of a row has, among the keys of a step that sort.h has sorted.
namespace vecc_kernel {

// Below all keys of the row; no part has the number ~0u.
VECC_KG_FN Key key_of(unsigned row) {
  return static_cast<Key>(row) << 32;
}

// Of a row that a block moves: its sorted keys, and the numbers of its first parts.
struct RowParts {
  static constexpr unsigned kFirst = 2;
  unsigned row;
  unsigned begin;
  unsigned end;
  unsigned queries;  // of the step
  unsigned first[kFirst];

  // Of the keys from `begin` on, of `count`: a lane reads one. Returns `moves`, and finds nothing
  // without; the read does not wait for it, so that memory's time passes once.
  __device__ __forceinline__ bool find(const KeyList& list, unsigned count, bool moves) {
    const unsigned place = begin + threadIdx.x % 32;
    const Key key = list.sorted[smaller(place, list.most - 1)];
    const Key ahead = place < count ? key : ~static_cast<Key>(0);
    const unsigned others = __ballot_sync(~0u, ahead >> 32 != row);
#pragma unroll
    for (unsigned n = 0; n < kFirst; ++n) {
      first[n] = __shfl_sync(~0u, static_cast<unsigned>(ahead), static_cast<int>(n));
    }
    if (!moves) return false;
    end = others != 0 ? begin + static_cast<unsigned>(__ffsll(static_cast<long long>(others))) - 1
                      : find_end(list.sorted, count);
    return true;
  }
  // Of a row with so many that no lane has read the last one.
  __device__ __forceinline__ unsigned find_end(const Key* keys, unsigned count) const {
    const Key last = key_of(row) | ~0u;
    unsigned span = 32;
    while (span < count - begin && keys[begin + span] < last) span *= 2;
    return lower_bound(keys, begin + span / 2, span < count - begin ? begin + span : count, last);
  }
};

}  // namespace vecc_kernel
