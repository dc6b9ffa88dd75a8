// Parts of a stage of rows, or columns, of a wide tile (wide_tiles.h), which threads fetch from
// memory and put into shared memory.
#if VECC_KG_HAS_MATRICES
namespace vecc_kernel {

constexpr unsigned kDepth = sizeof(Number) == 8 ? 8 : 16;      // terms of a stage
constexpr unsigned kWideStep = kWideColumns + 4;               // against conflicts of banks
constexpr unsigned kWideBlocks = sizeof(Number) == 8 ? 1 : 2;  // that a multiprocessor is to hold
constexpr unsigned kProductBlocks = sizeof(Number) == 8 ? 1 : 3;  // with few rows
static_assert(kWideColumns == kPairThreads, "a warp has 32 columns");

// A thread's part of a stage of kLanes rows, or columns, on its way to shared memory, where a
// term's numbers lie side by side; here they do so in memory, too. read(n, term, lane): part n of
// kHeld, numbers of lanes lane .. lane + 3.
template <unsigned kLanes>
struct TermStage {
  static constexpr unsigned kQuads = kLanes / 4;
  static constexpr unsigned kAll = kDepth * kQuads;
  static constexpr unsigned kHeld = (kAll + kPairThreads - 1) / kPairThreads;
  Four fours[kHeld];

  static __device__ __forceinline__ unsigned place(unsigned n) {
    return threadIdx.x + n * kPairThreads;
  }
  static __device__ __forceinline__ bool has(unsigned n) {
    return kAll % kPairThreads == 0 || place(n) < kAll;
  }
  static __device__ __forceinline__ unsigned term(unsigned n) { return place(n) / kQuads; }
  static __device__ __forceinline__ unsigned lane(unsigned n) { return place(n) % kQuads * 4; }
  template <class Read>
  __device__ __forceinline__ void fetch(const Read& read) {
#pragma unroll
    for (unsigned n = 0; n < kHeld; ++n) {
      if (has(n)) fours[n] = read(n, term(n), lane(n));
    }
  }
  __device__ __forceinline__ void put(Number* to) const {
#pragma unroll
    for (unsigned n = 0; n < kHeld; ++n) {
      if (has(n)) *reinterpret_cast<Four*>(to + term(n) * (kLanes + 4) + lane(n)) = fours[n];
    }
  }
};

// Likewise where a lane's numbers lie side by side: read(n, lane, term) has terms term .. term + 3.
// A warp has 8 terms of 16 lanes: whole sectors of memory, and banks of their own.
template <unsigned kLanes>
struct LaneStage {
  static constexpr unsigned kSpan = kDepth / 8;
  static constexpr unsigned kUnits = kLanes / 16 * kSpan;
  static constexpr unsigned kWarps = kPairThreads / 32;
  static constexpr unsigned kHeld = (kUnits + kWarps - 1) / kWarps;
  Four fours[kHeld];

  static __device__ __forceinline__ unsigned unit(unsigned n) {
    return threadIdx.x / 32 + n * kWarps;
  }
  static __device__ __forceinline__ bool has(unsigned n) {
    return kUnits % kWarps == 0 || unit(n) < kUnits;
  }
  static __device__ __forceinline__ unsigned lane(unsigned n) {
    return unit(n) / kSpan * 16 + threadIdx.x % 32 / 2;
  }
  static __device__ __forceinline__ unsigned term(unsigned n) {
    return (unit(n) % kSpan * 2 + threadIdx.x % 2) * 4;
  }
  template <class Read>
  __device__ __forceinline__ void fetch(const Read& read) {
#pragma unroll
    for (unsigned n = 0; n < kHeld; ++n) {
      if (has(n)) fours[n] = read(n, lane(n), term(n));
    }
  }
  __device__ __forceinline__ void put(Number* to) const {
#pragma unroll
    for (unsigned n = 0; n < kHeld; ++n) {
      if (!has(n)) continue;
#pragma unroll
      for (unsigned m = 0; m < 4; ++m) to[(term(n) + m) * (kLanes + 4) + lane(n)] = fours[n].at[m];
    }
  }
};

// A thread's part of a stage of kRows rows, number by number: read(row, term).
template <unsigned kRows>
struct VectorStage {
  static constexpr unsigned kAll = kRows * kDepth;
  static constexpr unsigned kHeld = (kAll + kPairThreads - 1) / kPairThreads;
  Number numbers[kHeld];

  static __device__ __forceinline__ unsigned place(unsigned n) {
    return threadIdx.x + n * kPairThreads;
  }
  template <class Read>
  __device__ __forceinline__ void fetch(const Read& read) {
#pragma unroll
    for (unsigned n = 0; n < kHeld; ++n) {
      if (place(n) < kAll) numbers[n] = read(place(n) / kDepth, place(n) % kDepth);
    }
  }
  __device__ __forceinline__ void put(Number* to) const {
#pragma unroll
    for (unsigned n = 0; n < kHeld; ++n) {
      if (place(n) < kAll) to[place(n) % kDepth * (kRows + 4) + place(n) / kDepth] = numbers[n];
    }
  }
};

}  // namespace vecc_kernel
#endif
