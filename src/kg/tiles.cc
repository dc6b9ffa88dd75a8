#include "src/kg/tiles.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "src/kg/vector_lanes.h"

namespace vecc::kg {
namespace {

#define VECC_TILE_SET plain
#define VECC_TILE_TARGET
#define VECC_TILE_BYTES 16
#define VECC_TILE_ROWS 8
#define VECC_TILE_ROOT(values) take_roots(values)
#include "src/kg/tile_functions.h"

#if defined(__x86_64__)

#define VECC_TILE_SET avx2
#define VECC_TILE_TARGET VECC_TILE_AVX2
#define VECC_TILE_BYTES 32
#define VECC_TILE_ROWS 12
#define VECC_TILE_ROOT(values) take_roots_avx2(values)
#include "src/kg/tile_functions.h"

#define VECC_TILE_SET avx512
#define VECC_TILE_TARGET VECC_TILE_AVX512
#define VECC_TILE_BYTES 64
#define VECC_TILE_ROWS 16
#define VECC_TILE_ROOT(values) take_roots_avx512(values)
#include "src/kg/tile_functions.h"

#else
namespace avx2 = plain;
namespace avx512 = plain;
#endif

}  // namespace

template <class T>
std::span<const TileKernels<T>* const> usable_tile_kernels() {
  static const auto kUsable =
      usable_sets(&avx512::kKernels<T>, &avx2::kKernels<T>, &plain::kKernels<T>);
  return kUsable;
}

template std::span<const TileKernels<float>* const> usable_tile_kernels<float>();
template std::span<const TileKernels<double>* const> usable_tile_kernels<double>();

}  // namespace vecc::kg
