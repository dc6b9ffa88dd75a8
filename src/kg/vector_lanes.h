// Vectors of kPanelBytes, and the sets of instructions for which loops over them are compiled.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "src/kg/tiles.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace vecc::kg {

template <class T>
struct Lanes {
  using Integer = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  typedef T Values __attribute__((vector_size(kPanelBytes)));
  typedef Integer Mask __attribute__((vector_size(kPanelBytes)));
  static constexpr Integer kNoSign =
      std::numeric_limits<Integer>::max();  ///< all bits but the sign
  static constexpr Integer kSign = std::numeric_limits<Integer>::min();
};

template <class Values>
inline void take_roots(Values& values) {
  for (std::size_t lane = 0; lane < sizeof values / sizeof values[0]; ++lane) {
    values[lane] = std::sqrt(values[lane]);
  }
}

#if defined(__x86_64__)

#define VECC_TILE_AVX2 __attribute__((target("avx2,fma")))
#define VECC_TILE_AVX512 __attribute__((target("avx512f,avx2,fma")))

// Loads and stores in between stay in registers.
VECC_TILE_AVX2 inline void take_roots_avx2(Lanes<float>::Values& values) {
  float lanes[kPanelLanes<float>];
  __builtin_memcpy(lanes, &values, sizeof values);
  _mm256_storeu_ps(lanes, _mm256_sqrt_ps(_mm256_loadu_ps(lanes)));
  _mm256_storeu_ps(lanes + 8, _mm256_sqrt_ps(_mm256_loadu_ps(lanes + 8)));
  __builtin_memcpy(&values, lanes, sizeof values);
}
VECC_TILE_AVX2 inline void take_roots_avx2(Lanes<double>::Values& values) {
  double lanes[kPanelLanes<double>];
  __builtin_memcpy(lanes, &values, sizeof values);
  _mm256_storeu_pd(lanes, _mm256_sqrt_pd(_mm256_loadu_pd(lanes)));
  _mm256_storeu_pd(lanes + 4, _mm256_sqrt_pd(_mm256_loadu_pd(lanes + 4)));
  __builtin_memcpy(&values, lanes, sizeof values);
}
// With a mask: GCC 12 warns of what its header leaves without a value otherwise.
VECC_TILE_AVX512 inline void take_roots_avx512(Lanes<float>::Values& values) {
  values = (Lanes<float>::Values)_mm512_maskz_sqrt_ps(0xFFFF, (__m512)values);
}
VECC_TILE_AVX512 inline void take_roots_avx512(Lanes<double>::Values& values) {
  values = (Lanes<double>::Values)_mm512_maskz_sqrt_pd(0xFF, (__m512d)values);
}

#endif

}  // namespace vecc::kg
