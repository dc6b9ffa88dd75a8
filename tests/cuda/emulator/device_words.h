// What a kernel's CUDA C++ names that is not C++: stands before its text when the host's compiler
// makes it run on the emulator. It includes nothing.
#define __CUDACC_RTC__ 1
#define __device__
#define __global__ __attribute__((visibility("default")))
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
// Blocks run one after another.
#define __shared__ static

struct EmulatedIndex {
  unsigned x;
};
extern "C" {
extern EmulatedIndex vecc_thread_index;
extern EmulatedIndex vecc_block_index;
void vecc_sync_block();
void vecc_sync_lanes(unsigned mask);
// Bits of another lane's value; of a lane outside the mask its own.
unsigned long long vecc_shuffle(unsigned mask, unsigned long long bits, int lane);
int vecc_lane();
// sum += a b of a warp's tensor cores, in the layout of mma.sync's m16n8k8 (tf32) and m16n8k16.
void vecc_multiply_tf32(const unsigned* a, const unsigned* b, float* sum);
void vecc_multiply_bf16(const unsigned* a, const unsigned* b, float* sum);
// A copy of a thread to shared memory, which is there when it has waited for its copies.
void vecc_begin_copy(void* to, const void* from, unsigned bytes);
void vecc_wait_for_copies();
double erf(double);
double exp(double);
double fabs(double);
double log(double);
double log1p(double);
double sqrt(double);
float expf(float);
float fabsf(float);
float logf(float);
float log1pf(float);
float sqrtf(float);
}
#define threadIdx vecc_thread_index
#define blockIdx vecc_block_index
inline void __syncthreads() {
  vecc_sync_block();
}
inline void __syncwarp(unsigned mask) {
  vecc_sync_lanes(mask);
}

template <class T>
T vecc_from_lane(unsigned mask, T value, int lane) {
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  bits = vecc_shuffle(mask, bits, lane);
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
  return vecc_from_lane(mask, value, vecc_lane() / width * width + lane % width);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int step, int = 32) {
  return vecc_from_lane(mask, value, vecc_lane() ^ step);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned step) {
  const int lane = vecc_lane() - int(step);
  return vecc_from_lane(mask, value, lane < 0 ? vecc_lane() : lane);
}
inline unsigned __ballot_sync(unsigned mask, bool vote) {
  unsigned all = 0;
  for (int lane = 0; lane < 32; ++lane) {
    if (mask >> lane & 1) all |= unsigned(vecc_from_lane(mask, unsigned(vote), lane)) << lane;
  }
  return all;
}

// Threads take turns: no two add at once.
inline unsigned atomicAdd(unsigned* to, unsigned more) {
  const unsigned before = *to;
  *to = before + more;
  return before;
}

inline unsigned long long atomicOr(unsigned long long* to, unsigned long long bits) {
  const unsigned long long before = *to;
  *to = before | bits;
  return before;
}

inline int __popcll(unsigned long long bits) {
  return __builtin_popcountll(bits);
}
inline int __ffsll(long long bits) {
  return __builtin_ffsll(bits);
}
inline int __clz(int bits) {
  return bits == 0 ? 32 : __builtin_clz(static_cast<unsigned>(bits));
}
inline int __popc(unsigned bits) {
  return __builtin_popcount(bits);
}
inline unsigned __float_as_uint(float x) {
  return __builtin_bit_cast(unsigned, x);
}
inline float __uint_as_float(unsigned x) {
  return __builtin_bit_cast(float, x);
}
inline long long __double_as_longlong(double x) {
  return __builtin_bit_cast(long long, x);
}
inline double __longlong_as_double(long long x) {
  return __builtin_bit_cast(double, x);
}
inline float __fmaf_rn(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
inline double __fma_rn(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
inline float __saturatef(float x) {
  return x > 0 ? x < 1 ? x : 1 : 0;
}
inline float __fsqrt_rn(float x) {
  return sqrtf(x);
}
inline double __dsqrt_rn(double x) {
  return sqrt(x);
}

// prelude/async_copies.h.
#define VECC_ASYNC_COPIES 1
namespace vecc_kernel {
template <unsigned kBytes>
inline void copy_async(void* to, const void* from) {
  vecc_begin_copy(to, from, kBytes);
}
inline void wait_for_copies() {
  vecc_wait_for_copies();
}
}  // namespace vecc_kernel

// prelude/tensor_cores.h. What is no number, or infinite, stays so.
#define VECC_TENSOR_CORES 1
namespace vecc_kernel {
inline unsigned round_tf32(float x) {
  const unsigned bits = __float_as_uint(x);
  constexpr unsigned kRest = (1u << 13) - 1;
  return (bits & 0x7F800000u) == 0x7F800000u ? bits & ~kRest : (bits + (1u << 12)) & ~kRest;
}
inline unsigned round_bf16(float first, float second) {
  const auto round = [](float x) {
    const unsigned bits = __float_as_uint(x);
    if ((bits & 0x7F800000u) == 0x7F800000u) return bits >> 16 | unsigned(x != x) << 6;
    return (bits + 0x7FFFu + (bits >> 16 & 1)) >> 16;
  };
  return round(first) | round(second) << 16;
}
inline void multiply_tf32(const unsigned* a, const unsigned* b, float* sum) {
  vecc_multiply_tf32(a, b, sum);
}
inline void multiply_first_tf32(const unsigned* a, const unsigned* b, float* sum) {
  for (int n = 0; n < 4; ++n) sum[n] = 0;
  vecc_multiply_tf32(a, b, sum);
}
inline void multiply_bf16(const unsigned* a, const unsigned* b, float* sum) {
  vecc_multiply_bf16(a, b, sum);
}
}  // namespace vecc_kernel
