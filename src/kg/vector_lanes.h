// Vectors, and the sets of instructions for which loops over them are compiled.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "src/kg/tiles.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Before a loop over rows, whose vectors stay in registers only where it is unrolled.
#if defined(__clang__)
#define VECC_TILE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define VECC_TILE_UNROLL _Pragma("GCC unroll 16")
#endif

namespace vecc::kg {

/// One vector register of a set of instructions; vectors of more than a register are slow.
template <class T, std::size_t kBytes>
struct Lanes {
  static constexpr std::size_t kCount = kBytes / sizeof(T);
  using Integer = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  typedef T Values __attribute__((vector_size(kBytes)));
  typedef Integer Mask __attribute__((vector_size(kBytes)));
  static constexpr Integer kNoSign =
      std::numeric_limits<Integer>::max();  ///< all bits but the sign
  static constexpr Integer kSign = std::numeric_limits<Integer>::min();
};

/// 1, 0 and -1 by the signs of `values` (Lanes::Values), in place; of NaN 1 or -1. A macro: a
/// function would not have its caller's instructions.
#define VECC_TAKE_SIGNS(values)                                                       \
  ((values) = (Values)((((Mask)(values)&Register::kSign) | (Mask)(Values{} + T{1})) & \
                       (Mask)((values) != 0)))

#if defined(__x86_64__)

inline void take_roots(Lanes<float, 16>::Values& values) {
  values = (Lanes<float, 16>::Values)_mm_sqrt_ps((__m128)values);
}
inline void take_roots(Lanes<double, 16>::Values& values) {
  values = (Lanes<double, 16>::Values)_mm_sqrt_pd((__m128d)values);
}

#define VECC_TILE_AVX2 __attribute__((target("avx2,fma")))
#define VECC_TILE_AVX512 __attribute__((target("avx512f,avx2,fma")))

VECC_TILE_AVX2 inline void take_roots_avx2(Lanes<float, 32>::Values& values) {
  values = (Lanes<float, 32>::Values)_mm256_sqrt_ps((__m256)values);
}
VECC_TILE_AVX2 inline void take_roots_avx2(Lanes<double, 32>::Values& values) {
  values = (Lanes<double, 32>::Values)_mm256_sqrt_pd((__m256d)values);
}
// With a mask: GCC 12 warns of what its header leaves without a value otherwise.
VECC_TILE_AVX512 inline void take_roots_avx512(Lanes<float, 64>::Values& values) {
  values = (Lanes<float, 64>::Values)_mm512_maskz_sqrt_ps(0xFFFF, (__m512)values);
}
VECC_TILE_AVX512 inline void take_roots_avx512(Lanes<double, 64>::Values& values) {
  values = (Lanes<double, 64>::Values)_mm512_maskz_sqrt_pd(0xFF, (__m512d)values);
}
// In two instructions: 1 | (x & sign) where x is not 0.
VECC_TILE_AVX512 inline void take_signs_avx512(Lanes<float, 64>::Values& values) {
  const __m512i one = _mm512_castps_si512(_mm512_set1_ps(1));
  const __m512i sign = _mm512_set1_epi32(Lanes<float, 64>::kSign);
  const __mmask16 is_not_zero = _mm512_cmp_ps_mask((__m512)values, __m512{}, _CMP_NEQ_UQ);
  values = (Lanes<float, 64>::Values)_mm512_maskz_ternarylogic_epi32(is_not_zero, one,
                                                                     (__m512i)values, sign, 0xF8);
}
VECC_TILE_AVX512 inline void take_signs_avx512(Lanes<double, 64>::Values& values) {
  const __m512i one = _mm512_castpd_si512(_mm512_set1_pd(1));
  const __m512i sign = _mm512_set1_epi64(Lanes<double, 64>::kSign);
  const __mmask8 is_not_zero = _mm512_cmp_pd_mask((__m512d)values, __m512d{}, _CMP_NEQ_UQ);
  values = (Lanes<double, 64>::Values)_mm512_maskz_ternarylogic_epi64(is_not_zero, one,
                                                                      (__m512i)values, sign, 0xF8);
}

#else

template <class Values>
inline void take_roots(Values& values) {
  for (std::size_t lane = 0; lane < sizeof values / sizeof values[0]; ++lane) {
    values[lane] = std::sqrt(values[lane]);
  }
}

#endif

/// Of what is there for each set of instructions (of other processors three times `plain`): those
/// that this processor runs, the best first.
template <class Kernels>
[[nodiscard]] std::vector<Kernels> usable_sets(Kernels avx512, Kernels avx2, Kernels plain) {
  std::vector<Kernels> usable;
#if defined(__x86_64__)
  const bool has_avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  if (has_avx2 && __builtin_cpu_supports("avx512f") != 0) usable.push_back(avx512);
  if (has_avx2) usable.push_back(avx2);
#endif
  usable.push_back(plain);
  return usable;
}

}  // namespace vecc::kg
