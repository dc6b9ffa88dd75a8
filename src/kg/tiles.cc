#include "src/kg/tiles.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace vecc::kg {
namespace {

template <class T>
struct Pack {
  using Integer = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  typedef T Values __attribute__((vector_size(kPanelBytes)));
  typedef Integer Mask __attribute__((vector_size(kPanelBytes)));
  static constexpr Integer kNoSign = std::numeric_limits<Integer>::max();
};

template <class Values>
void take_roots(Values& values) {
  for (std::size_t lane = 0; lane < sizeof values / sizeof values[0]; ++lane) {
    values[lane] = std::sqrt(values[lane]);
  }
}

#define VECC_TILE_SET plain
#define VECC_TILE_TARGET
#define VECC_TILE_ROWS 2
#define VECC_TILE_ROOT(values) take_roots(values)
#include "src/kg/tile_functions.h"

#if defined(__x86_64__)

#define VECC_TILE_AVX2 __attribute__((target("avx2,fma")))
#define VECC_TILE_AVX512 __attribute__((target("avx512f,avx2,fma")))

// Loads and stores in between stay in registers.
VECC_TILE_AVX2 inline void take_roots_avx2(Pack<float>::Values& values) {
  float lanes[kPanelLanes<float>];
  __builtin_memcpy(lanes, &values, sizeof values);
  _mm256_storeu_ps(lanes, _mm256_sqrt_ps(_mm256_loadu_ps(lanes)));
  _mm256_storeu_ps(lanes + 8, _mm256_sqrt_ps(_mm256_loadu_ps(lanes + 8)));
  __builtin_memcpy(&values, lanes, sizeof values);
}
VECC_TILE_AVX2 inline void take_roots_avx2(Pack<double>::Values& values) {
  double lanes[kPanelLanes<double>];
  __builtin_memcpy(lanes, &values, sizeof values);
  _mm256_storeu_pd(lanes, _mm256_sqrt_pd(_mm256_loadu_pd(lanes)));
  _mm256_storeu_pd(lanes + 4, _mm256_sqrt_pd(_mm256_loadu_pd(lanes + 4)));
  __builtin_memcpy(&values, lanes, sizeof values);
}
// With a mask: GCC 12 warns of what its header leaves without a value otherwise.
VECC_TILE_AVX512 inline void take_roots_avx512(Pack<float>::Values& values) {
  values = (Pack<float>::Values)_mm512_maskz_sqrt_ps(0xFFFF, (__m512)values);
}
VECC_TILE_AVX512 inline void take_roots_avx512(Pack<double>::Values& values) {
  values = (Pack<double>::Values)_mm512_maskz_sqrt_pd(0xFF, (__m512d)values);
}

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

#undef VECC_TILE_AVX2
#undef VECC_TILE_AVX512
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
