// SplitMix64 (Steele, Lea and Flood 2014): a random stream that is the same on every machine, as
// the standard distributions are not.
#pragma once

#include <cstdint>
#include <limits>

namespace vecc::tools {

/// Mixes all bits of a number; a bijection.
[[nodiscard]] constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

class SplitMix {
 public:
  explicit SplitMix(std::int64_t seed) : state_(static_cast<std::uint64_t>(seed)) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ull;
    return mix_bits(state_);
  }
  /// 0 .. bound-1, each equally often: what lies beyond the last multiple of `bound` is drawn anew.
  /// bound > 0.
  std::uint64_t below(std::uint64_t bound) {
    constexpr std::uint64_t kLast = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t excess = (kLast % bound + 1) % bound;  // 2^64 modulo bound
    std::uint64_t drawn = next();
    while (drawn > kLast - excess) drawn = next();
    return drawn % bound;
  }

 private:
  std::uint64_t state_;
};

}  // namespace vecc::tools
