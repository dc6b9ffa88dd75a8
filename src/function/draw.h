// `draw`: random numbers that depend on nothing but what they are of, so that every backend, every
// order of work and a resumed training have the same ones.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "src/function/evaluate.h"

namespace vecc {

/// Of Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers, as easy as 1, 2, 3,
/// 2011).
inline constexpr int kPhiloxRounds = 10;
inline constexpr std::uint32_t kPhiloxFactors[] = {0xD2511F53, 0xCD9E8D57};
inline constexpr std::uint32_t kPhiloxSteps[] = {0x9E3779B9, 0xBB67AE85};
[[nodiscard]] std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                                  std::array<std::uint32_t, 2> key);
/// Numbers of 64 bits, two of each block (its first two words, the first one above, and its last
/// two): of the blocks of `counter` and of those whose last word is one more, two more, and so on.
void philox_numbers(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key,
                    std::span<std::uint64_t> to);

/// Of the first word its upper 23 bits k become (k + 0.5) / 2^23, which float has exactly: more
/// than 0, less than 1.
inline constexpr int kDrawShift = 9;
inline constexpr double kDrawUnit = 1.0 / (1 << 23);

/// The key's two words, then the counter's four, each a whole number below 2^32 (without its
/// fraction; 0 for what is none).
[[nodiscard]] double draw_number(std::span<const double, kDrawWords> words);

/// y = draw(words), entry by entry; scalars broadcast.
void draw_entries(std::span<const Element> words, std::span<double> y);

}  // namespace vecc
