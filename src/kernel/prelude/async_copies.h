// Copies from memory to shared memory that are in flight until the thread that began them calls
// wait_for_copies(). (Before compute capability 8.0 they are done at once, through registers.) An
// emulated GPU defines both functions itself.
#ifndef VECC_ASYNC_COPIES
#define VECC_ASYNC_COPIES 1
namespace vecc_kernel {

template <unsigned kBytes>
struct __align__(kBytes) CopiedBytes {
  unsigned words[kBytes / 4];
};

// kBytes, 4, 8 or 16, at an address that is a multiple of them.
template <unsigned kBytes>
__device__ __forceinline__ void copy_async(void* to, const void* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if constexpr (kBytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(target), "l"(from), "n"(kBytes)
                 : "memory");
  }
#else
  using Bytes = CopiedBytes<kBytes>;
  *static_cast<Bytes*>(to) = *static_cast<const Bytes*>(from);
#endif
}
__device__ __forceinline__ void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

}  // namespace vecc_kernel
#endif
