#include "src/kg/tiles.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "src/kg/vector_lanes.h"

namespace vecc::kg {
namespace {

#define VECC_TILE_SET plain
#define VECC_TILE_TARGET
#define VECC_TILE_ROWS 2
#define VECC_TILE_ROOT(values) take_roots(values)
#include "src/kg/tile_functions.h"

#if defined(__x86_64__)

#define VECC_TILE_SET avx2
#define VECC_TILE_TARGET VECC_TILE_AVX2
#define VECC_TILE_ROWS 6
#define VECC_TILE_ROOT(values) take_roots_avx2(values)
#include "src/kg/tile_functions.h"

#define VECC_TILE_SET avx512
#define VECC_TILE_TARGET VECC_TILE_AVX512
#define VECC_TILE_ROWS 16
#define VECC_TILE_ROOT(values) take_roots_avx512(values)
#include "src/kg/tile_functions.h"

#endif

template <class T>
std::vector<const TileKernels<T>*> find_usable() {
  std::vector<const TileKernels<T>*> usable;
#if defined(__x86_64__)
  const bool has_avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  if (has_avx2 && __builtin_cpu_supports("avx512f") != 0) usable.push_back(&avx512::kKernels<T>);
  if (has_avx2) usable.push_back(&avx2::kKernels<T>);
#endif
  usable.push_back(&plain::kKernels<T>);
  return usable;
}

}  // namespace

template <class T>
std::span<const TileKernels<T>* const> usable_tile_kernels() {
  static const std::vector<const TileKernels<T>*> kUsable = find_usable<T>();
  return kUsable;
}

template std::span<const TileKernels<float>* const> usable_tile_kernels<float>();
template std::span<const TileKernels<double>* const> usable_tile_kernels<double>();

}  // namespace vecc::kg
