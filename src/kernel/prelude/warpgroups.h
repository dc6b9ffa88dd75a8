// Products of a warpgroup (128 threads: warps 0 to 3, or 4 to 7): columns lie in shared memory,
// from where tensor cores read them by themselves, and products are in flight until they are waited
// for. Compute capability 9.0 has instructions for that, which group_product_text() spells;
// elsewhere each warp multiplies its rows by smaller ones.
#if VECC_TENSOR_CORES
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define VECC_WARPGROUPS 1
#else
#define VECC_WARPGROUPS 0
#endif
namespace vecc_kernel {

// Where term `slot` (of 8) of column `column` lies, of `columns` ones side by side: eight columns
// with four terms each are one tile of 128 bytes.
__device__ __forceinline__ unsigned group_place(unsigned columns, unsigned column, unsigned slot) {
  return (slot / 4 * columns + column) * 4 + slot % 4;
}

// What other threads wrote to shared memory is there for tensor cores behind the next barrier.
__device__ __forceinline__ void publish_columns() {
#if VECC_WARPGROUPS
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}
// Around products: registers that they read and write are theirs until finish_products().
__device__ __forceinline__ void begin_products() {
#if VECC_WARPGROUPS
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}
__device__ __forceinline__ void commit_products() {
#if VECC_WARPGROUPS
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}
template <unsigned kCount>
__device__ __forceinline__ void finish_products(float (&sums)[kCount]) {
#if VECC_WARPGROUPS
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
  for (unsigned n = 0; n < kCount; ++n) asm volatile("" : "+f"(sums[n])::"memory");
#endif
}

// sums = (kAdds: +=) 64 rows times kColumns of `columns` columns, over 8 terms. Of the group's 64
// rows warp w has 16, from 16 (w % 4) on; a lane has of them, and of each tile of 8 columns, what
// multiply_tf32() says. `of_columns`: the first one's, at group_place(); sums[4 j ..]: of tile j.
template <unsigned kColumns, bool kAdds>
__device__ __forceinline__ void multiply_group_tf32(const unsigned* rows, const float* of_columns,
                                                    unsigned columns, float* sums) {
#if VECC_WARPGROUPS
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(of_columns));
  const unsigned long long step = columns;  // times 16 bytes, between both fours of terms
  const unsigned long long where =
      (address & 0x3FFFF) >> 4 | step << 16 | static_cast<unsigned long long>(128 >> 4) << 32;
  GroupProduct<kColumns>::template run<kAdds>(rows, where, sums);
#else
#pragma unroll
  for (unsigned j = 0; j < kColumns / 8; ++j) {
    const unsigned column = j * 8 + threadIdx.x % 32 / 4;
    unsigned words[2];
#pragma unroll
    for (unsigned n = 0; n < 2; ++n) {
      const unsigned slot = threadIdx.x % 4 + 4 * n;
      words[n] = __float_as_uint(of_columns[group_place(columns, column, slot)]);
    }
    if constexpr (kAdds) {
      multiply_tf32(rows, words, sums + 4 * j);
    } else {
      multiply_first_tf32(rows, words, sums + 4 * j);
    }
  }
#endif
}

}  // namespace vecc_kernel
#endif
