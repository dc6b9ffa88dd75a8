#include "src/function/draw.h"

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "src/function/counter_draws.h"

namespace vecc {
namespace {

std::uint32_t word_of(double x) {
  return x >= 0 && x < 4294967296.0 ? static_cast<std::uint32_t>(x) : 0;
}

using Words = std::array<std::uint32_t, 4>;

std::uint64_t joined(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}

void write_numbers(Words counter, std::array<std::uint32_t, 2> key, std::span<std::uint64_t> to) {
  for (std::size_t i = 0; i < to.size(); i += 2, ++counter[3]) {
    const Words block = philox(counter, key);
    to[i] = joined(block[0], block[1]);
    if (i + 1 < to.size()) to[i + 1] = joined(block[2], block[3]);
  }
}

#if defined(__x86_64__)
// Four blocks, a word of each in the lower half of a lane: what is above it no product reads.
struct FourBlocks {
  __m256i words[4];
};

[[gnu::target("avx2"), gnu::always_inline]] inline __m256i in_lanes(std::uint32_t word) {
  return _mm256_set1_epi64x(static_cast<long long>(word));
}

[[gnu::target("avx2"), gnu::always_inline]] inline FourBlocks four_blocks(const Words& counter,
                                                                          std::uint32_t first) {
  const __m256i last =
      _mm256_add_epi32(in_lanes(counter[3] + first), _mm256_set_epi64x(3, 2, 1, 0));
  return {{in_lanes(counter[0]), in_lanes(counter[1]), in_lanes(counter[2]), last}};
}

[[gnu::target("avx2"), gnu::always_inline]] inline void run_round(FourBlocks& of, __m256i key_0,
                                                                  __m256i key_1) {
  const __m256i a = _mm256_mul_epu32(of.words[0], in_lanes(kPhiloxFactors[0]));
  const __m256i b = _mm256_mul_epu32(of.words[2], in_lanes(kPhiloxFactors[1]));
  const __m256i high_a = _mm256_srli_epi64(a, 32);
  const __m256i high_b = _mm256_srli_epi64(b, 32);
  of.words[0] = _mm256_xor_si256(_mm256_xor_si256(high_b, of.words[1]), key_0);
  of.words[1] = b;
  of.words[2] = _mm256_xor_si256(_mm256_xor_si256(high_a, of.words[3]), key_1);
  of.words[3] = a;
}

[[gnu::target("avx2"), gnu::always_inline]] inline __m256i joined(__m256i high, __m256i low) {
  return _mm256_blend_epi32(_mm256_slli_epi64(high, 32), low, 0x55);
}

// Their eight numbers.
[[gnu::target("avx2"), gnu::always_inline]] inline void write_blocks(const FourBlocks& of,
                                                                     std::uint64_t* to) {
  const __m256i first = joined(of.words[0], of.words[1]);
  const __m256i second = joined(of.words[2], of.words[3]);
  const __m256i even = _mm256_unpacklo_epi64(first, second);  // blocks 0 and 2
  const __m256i odd = _mm256_unpackhi_epi64(first, second);
  auto* const at = reinterpret_cast<__m256i*>(to);
  _mm256_storeu_si256(at, _mm256_permute2x128_si256(even, odd, 0x20));
  _mm256_storeu_si256(at + 1, _mm256_permute2x128_si256(even, odd, 0x31));
}

// Eight blocks at a time: four wait for their products while the others are computed.
[[gnu::target("avx2")]] void write_numbers_by_vectors(Words counter,
                                                      std::array<std::uint32_t, 2> key,
                                                      std::span<std::uint64_t> to) {
  constexpr std::size_t kNumbers = 16;
  std::array<std::uint64_t, kNumbers> rest{};
  for (std::size_t i = 0; i < to.size(); i += kNumbers, counter[3] += kNumbers / 2) {
    FourBlocks a = four_blocks(counter, 0);
    FourBlocks b = four_blocks(counter, 4);
    __m256i key_0 = in_lanes(key[0]);
    __m256i key_1 = in_lanes(key[1]);
    for (int round = 0; round < kPhiloxRounds; ++round) {
      run_round(a, key_0, key_1);
      run_round(b, key_0, key_1);
      key_0 = _mm256_add_epi32(key_0, in_lanes(kPhiloxSteps[0]));
      key_1 = _mm256_add_epi32(key_1, in_lanes(kPhiloxSteps[1]));
    }
    const bool is_whole = i + kNumbers <= to.size();
    std::uint64_t* const at = is_whole ? to.data() + i : rest.data();
    write_blocks(a, at);
    write_blocks(b, at + kNumbers / 2);
    if (!is_whole) std::copy_n(rest.begin(), to.size() - i, &to[i]);
  }
}
#endif

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  unsigned words[] = {counter[0], counter[1], counter[2], counter[3]};
  make_philox_block(words, key[0], key[1]);
  return {words[0], words[1], words[2], words[3]};
}

void philox_numbers(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key,
                    std::span<std::uint64_t> to) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0) return write_numbers_by_vectors(counter, key, to);
#endif
  write_numbers(counter, key, to);
}

double draw_number(std::span<const double, kDrawWords> words) {
  const auto drawn =
      philox({word_of(words[2]), word_of(words[3]), word_of(words[4]), word_of(words[5])},
             {word_of(words[0]), word_of(words[1])});
  return ((drawn[0] >> kDrawShift) + 0.5) * kDrawUnit;
}

void draw_entries(std::span<const Element> words, std::span<double> y) {
  std::array<double, kDrawWords> of_entry{};
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (std::size_t k = 0; k < kDrawWords; ++k) {
      of_entry[k] = words[k].values[words[k].shape.is_scalar() ? 0 : i];
    }
    y[i] = draw_number(of_entry);
  }
}

}  // namespace vecc
