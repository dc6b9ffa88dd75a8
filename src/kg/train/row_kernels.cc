#include "src/kg/train/row_kernels.h"

#include "src/kg/formulas/scores.h"
#include "src/kg/vector_lanes.h"

namespace vecc::kg {
namespace {

#define VECC_TILE_SET plain_rows
#define VECC_TILE_TARGET
#include "src/kg/train/row_functions.h"

#if defined(__x86_64__)

#define VECC_TILE_SET avx2_rows
#define VECC_TILE_TARGET VECC_TILE_AVX2
#include "src/kg/train/row_functions.h"

#define VECC_TILE_SET avx512_rows
#define VECC_TILE_TARGET VECC_TILE_AVX512
#include "src/kg/train/row_functions.h"

#else
namespace avx2_rows = plain_rows;
namespace avx512_rows = plain_rows;
#endif

}  // namespace

template <class T>
std::span<const RowKernels<T>* const> usable_row_kernels() {
  static const auto kUsable = usable_sets(&avx512_rows::kRowKernels<T>, &avx2_rows::kRowKernels<T>,
                                          &plain_rows::kRowKernels<T>);
  return kUsable;
}

template std::span<const RowKernels<float>* const> usable_row_kernels<float>();
template std::span<const RowKernels<double>* const> usable_row_kernels<double>();

}  // namespace vecc::kg
