// Kernel prelude, CUDA only: one launch that goes through the kernels of a whole stage, again and
// again if it is a series. Each block has a list of items: rows of a step (a kernel as a function),
// all that it does of a level, then the barrier at which all blocks wait for one another.
//
// A block's memory: kStepBytes for the steps, then the arguments of all steps and the block's
// items, if there is room for them.
#ifndef VECC_SPIN
#define VECC_SPIN  // while others are waited for
#endif

namespace vecc_kernel {

constexpr unsigned kStepBytes = 4096;
constexpr unsigned kNoStep = ~0u;

struct Item {
  unsigned step;
  unsigned arguments;  // bytes before them
  unsigned begin;
  unsigned end;
  unsigned type;
  unsigned ends_level;
};

// What a launch is started with.
struct Bound {
  const Item* items;
  const unsigned char* arguments;
  unsigned* arrived;  // blocks at a barrier of a grid: 0 before the first launch
  Series series;
  unsigned argument_bytes;  // 0: they stay where they are; a multiple of 16
  unsigned item_room;       // items that fit into a block's memory
};

// Generated: the step of that number.
static __device__ void run_step(unsigned step, const void* arguments, unsigned begin, unsigned end,
                                unsigned type);

extern __shared__ __align__(16) unsigned char vecc_shared[];

// After all that any thread of these blocks has written; what it sees is what they wrote.
struct OneBlock {
  static __device__ __forceinline__ void wait(unsigned*) { __syncthreads(); }
};
struct Cluster {
  static __device__ __forceinline__ void wait(unsigned*) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900  // before it nobody starts clusters
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
#endif
  }
};
// The counter's highest bit changes when all blocks have come, and nothing must be set back.
struct Grid {
  static __device__ __forceinline__ void wait(unsigned* arrived) {
    constexpr unsigned all = 0x80000000u;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      const unsigned before = atomicAdd(arrived, blockIdx.x == 0 ? all - (gridDim.x - 1) : 1u);
      while (((before ^ *static_cast<volatile unsigned*>(arrived)) & all) == 0) {
        VECC_SPIN;
      }
      __threadfence();
    }
    __syncthreads();
  }
};

static __device__ __forceinline__ void copy_words(const void* from, void* to, unsigned words) {
  for (unsigned w = threadIdx.x; w < words; w += kThreads) {
    static_cast<unsigned*>(to)[w] = static_cast<const unsigned*>(from)[w];
  }
}

// `firsts`: by block its first item.
template <class Blocks>
static __device__ __forceinline__ void walk(const Bound& a, const unsigned* firsts) {
  const unsigned first = firsts[blockIdx.x];
  const unsigned count = firsts[blockIdx.x + 1] - first;
  const unsigned char* arguments = a.arguments;
  const Item* items = a.items + first;
  if (a.argument_bytes > 0) {
    copy_words(arguments, vecc_shared + kStepBytes, a.argument_bytes / 4);
    arguments = vecc_shared + kStepBytes;
  }
  if (count <= a.item_room) {
    unsigned char* const own = vecc_shared + kStepBytes + a.argument_bytes;
    copy_words(items, own, count * (sizeof(Item) / 4));
    items = reinterpret_cast<const Item*>(own);
  }
  __syncthreads();
  for (unsigned run = 0; run < a.series.runs; ++run) {
    for (unsigned i = 0; i < count; ++i) {
      const Item item = items[i];
      if (item.step != kNoStep) {
        run_step(item.step, arguments + item.arguments, item.begin, item.end, item.type);
      }
      if (item.ends_level != 0) {
        Blocks::wait(a.arrived);
      } else {
        __syncthreads();
      }
    }
    if (a.series.total == nullptr) continue;
    if (blockIdx.x == 0) end_run(a.series, run);
    Blocks::wait(a.arrived);
  }
}

}  // namespace vecc_kernel
