// The processor that is here, as kernels are compiled for it. What Target has for others beside
// that was measured on one core of a Xeon, with GCC 12: batches of MUTAG (GCN, 32 samples) listed
// and read by lists in 2.2 times of a whole step's rows, of PROTEINS in 2.0; a number of 4 bytes at
// 5 GB/s.
#include "vecc/target.h"

namespace vecc {
namespace {

// Bytes of its vector registers, and rows of a tile. The prelude's packs are 32 bytes, with AVX-512
// those of products 64.
void describe(Target& target, std::uint32_t vector_bytes, std::uint32_t tile_rows) {
  target.vector_bytes = vector_bytes;
  target.tiles.rows = tile_rows;
}

}  // namespace

Target host_processor() {
  Target target;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    describe(target, 64, 8);  // sums are 16 of 32 registers
  } else if (__builtin_cpu_supports("avx")) {
    describe(target, 32, 6);  // 12 of 16
  } else {
    describe(target, 16, 3);  // 12 of 16: a pack is two
  }
#elif defined(__aarch64__)
  describe(target, 16, 6);  // 24 of 32: a pack is two
#endif
  return target;
}

}  // namespace vecc
