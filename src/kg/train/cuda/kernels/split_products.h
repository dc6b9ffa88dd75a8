// Products of f32 numbers in two parts (prelude/split_tile.h) by a warp.
#if VECC_TENSOR_CORES
namespace vecc_kernel {

// Sums side by side.
struct __align__(8) Two {
  float first;
  float second;
};

// sums += 16 rows times 4 tiles of 8 columns by a warp, over 8 terms. Lane l has of rows l / 4 and
// l / 4 + 8, and of each tile's column l / 4, terms l % 4 and l % 4 + 4 (of rows in this order); of
// each tile its sums are those of both rows with columns 2 (l % 4) and 2 (l % 4) + 1.
VECC_KG_FN void add_split_products(const SplitNumbers<4>& rows, const SplitNumbers<2> (&columns)[4],
                                   float (&sums)[4][4]) {
  // Tensor cores cut sums off, which many terms would show: these have 8, and are added as others
  // are. Small terms first; products of a kind are of different sums, and are in flight together.
  float own[4][4] = {};
#pragma unroll
  for (unsigned j = 0; j < 4; ++j) multiply_tf32(rows.rest, columns[j].whole, own[j]);
#pragma unroll
  for (unsigned j = 0; j < 4; ++j) multiply_tf32(rows.whole, columns[j].rest, own[j]);
#pragma unroll
  for (unsigned j = 0; j < 4; ++j) multiply_tf32(rows.whole, columns[j].whole, own[j]);
#pragma unroll
  for (unsigned j = 0; j < 4; ++j) {
#pragma unroll
    for (unsigned n = 0; n < 4; ++n) sums[j][n] += own[j][n];
  }
}

}  // namespace vecc_kernel
#endif
