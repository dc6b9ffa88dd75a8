// A GPU's tensor cores: operands rounded to their formats, and one instruction's products of a
// warp. Kernels that use them need compute capability 8.0 or newer. An emulated GPU defines these
// five itself.
#if !defined(VECC_TENSOR_CORES) && !(defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800)
#define VECC_TENSOR_CORES 1
namespace vecc_kernel {

// To the nearest number of 10 bits behind the leading one; away from zero between two.
__device__ __forceinline__ unsigned round_tf32(float x) {
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return bits;
}
// Both to the nearest of 7 bits; to the even one between two. The first is the lower half.
__device__ __forceinline__ unsigned round_bf16(float first, float second) {
  unsigned bits;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(second), "f"(first));
  return bits;
}
// sum += a b, by all lanes of a warp: 16 x 8 times 8 x 8, and 16 x 16 times 16 x 8.
__device__ __forceinline__ void multiply_tf32(const unsigned* a, const unsigned* b, float* sum) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
// sum = a b.
__device__ __forceinline__ void multiply_first_tf32(const unsigned* a, const unsigned* b,
                                                    float* sum) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %10, %10, %10};"
      : "=f"(sum[0]), "=f"(sum[1]), "=f"(sum[2]), "=f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(0.f));
}
__device__ __forceinline__ void multiply_bf16(const unsigned* a, const unsigned* b, float* sum) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

}  // namespace vecc_kernel
#endif
