// Kernel prelude, CUDA only: one launch that goes through the kernels of a whole stage, again and
// again if it is a series. Each block has a list of items: rows of a step (a kernel as a function),
// all that it does of a phase, then the barrier at which all blocks wait for one another. Steps of
// one level are not kept apart: a warp that has no rows of one goes on with the next.
//
// A block's memory: kStepBytes (generated) for the steps, then the arguments of all steps and the
// block's items, if there is room for them.
#ifndef VECC_SPIN
#define VECC_SPIN  // while others are waited for
#endif

namespace vecc_kernel {

constexpr unsigned kNoStep = ~0u;

struct Item {
  unsigned step;
  unsigned arguments;  // bytes before them
  unsigned begin;
  unsigned end;
  unsigned type;
  unsigned ends;
  unsigned turn;  // the thread of its first row
};
constexpr unsigned kEndsPhase = 1;
constexpr unsigned kEndsStage = 2;
constexpr unsigned kEndsLevel = 4;

// What a launch is started with.
struct Bound {
  const unsigned char* arguments;
  const void* const* lines;  // what blocks read that no launch changes: by block, null for none
  unsigned* arrived;         // blocks at a barrier of a grid: 0 before the first launch
  Series series;
  unsigned argument_bytes;  // 0: they stay where they are; a multiple of 16
  unsigned items;           // of a block
  unsigned staged_items;    // as many, if they fit into a block's memory, or 0
  unsigned line_count;      // of a block
};

// Generated: the step of that number.
static __device__ void run_step(unsigned step, const void* arguments, unsigned begin, unsigned end,
                                unsigned type, unsigned turn);

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

// Fetches what is soon read.
static __device__ __forceinline__ void touch(const void* line) {
#if !defined(__CUDA_ARCH__)
  (void)line;
#else
  unsigned unused;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(unused) : "l"(line));
#endif
}

// `all_items`: by block.
template <class Blocks>
static __device__ __forceinline__ void walk(const Bound& a, const Item* all_items) {
  const unsigned char* arguments = a.arguments;
  const Item* items = all_items + blockIdx.x * a.items;
  if (a.argument_bytes > 0) {
    copy_words(arguments, vecc_shared + kStepBytes, a.argument_bytes / 4);
    arguments = vecc_shared + kStepBytes;
  }
  if (a.staged_items > 0) {
    unsigned char* const own = vecc_shared + kStepBytes + a.argument_bytes;
    copy_words(items, own, a.staged_items * (sizeof(Item) / 4));
    items = reinterpret_cast<const Item*>(own);
  }
  for (unsigned l = threadIdx.x; l < a.line_count; l += kThreads) {
    const void* const line = a.lines[blockIdx.x * a.line_count + l];
    if (line != nullptr) touch(line);
  }
  __syncthreads();
  const bool is_series = a.series.total != nullptr;
  for (unsigned run = 0; run < a.series.runs; ++run) {
    for (unsigned i = 0; i < a.items; ++i) {
      const Item item = items[i];
      if (item.step != kNoStep) {
        run_step(item.step, arguments + item.arguments, item.begin, item.end, item.type, item.turn);
      }
      const bool is_last = (item.ends & kEndsStage) != 0;
      if ((item.ends & kEndsPhase) != 0 && (is_series || !is_last)) {
        Blocks::wait(a.arrived);
      } else if ((item.ends & kEndsLevel) != 0) {
        __syncthreads();
      }
      if (is_last) break;
    }
    if (!is_series) continue;
    if (blockIdx.x == 0) end_run(a.series, run);
    Blocks::wait(a.arrived);
  }
}

}  // namespace vecc_kernel
