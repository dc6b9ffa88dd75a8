// Kernel prelude, CUDA only: numbers that are set one by one, in memory of a device. `Number` is
// float or double.
namespace vecc_kernel {

struct NumberWrite {
  Number* to;
  Number value;
};

static __device__ __forceinline__ void set_numbers(const NumberWrite* writes, unsigned count) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i < count) *writes[i].to = writes[i].value;
}

}  // namespace vecc_kernel
