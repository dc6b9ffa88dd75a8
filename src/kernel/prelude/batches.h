// Kernel prelude, CUDA only: what a launch does for a batch beside computing rows. Of its blocks a
// batch uses as many as it needs.
namespace vecc_kernel {

// Numbers that a batch has as 0, or infinite, and that are read.
struct Zeros {
  void* first;
  size_t count;
  double value;
};
// The type of a block that sets Zeros begin .. end - 1.
constexpr unsigned kZeros = ~0u;

// A warp for each.
template <class T>
VECC_FN void set_zeros(const Zeros* zeros, unsigned begin, unsigned end) {
  wait_for_launches();
  for (unsigned z = begin + threadIdx.x / 32; z < end; z += kThreads / 32) {
    T* const first = static_cast<T*>(zeros[z].first);
    for (size_t i = threadIdx.x % 32; i < zeros[z].count; i += 32) {
      first[i] = static_cast<T>(zeros[z].value);
    }
  }
}

}  // namespace vecc_kernel
