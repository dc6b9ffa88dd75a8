#include <cmath>

#include "vecc/initialize.h"

namespace vecc {
namespace {

// The generator of java.util.Random's specification.
constexpr std::uint64_t kMultiplier = 0x5DEECE66Dull;
constexpr std::uint64_t kIncrement = 0xB;
constexpr std::uint64_t kMask = (std::uint64_t{1} << 48) - 1;

}  // namespace

JavaRandom::JavaRandom(std::int64_t seed)
    : state_((static_cast<std::uint64_t>(seed) ^ kMultiplier) & kMask) {}

std::int32_t JavaRandom::next(int bits) {
  state_ = (state_ * kMultiplier + kIncrement) & kMask;
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(state_ >> (48 - bits)));
}

double JavaRandom::next_double() {
  const auto high = static_cast<std::uint64_t>(next(26)) << 27;
  const auto low = static_cast<std::uint64_t>(next(27));
  return static_cast<double>(high + low) * 0x1.0p-53;
}

double JavaRandom::next_gaussian() {
  if (next_gaussian_) {
    const double kept = *next_gaussian_;
    next_gaussian_.reset();
    return kept;
  }
  double x = 0;
  double y = 0;
  double square = 0;
  do {  // a point in the unit disc, not its middle
    x = 2 * next_double() - 1;
    y = 2 * next_double() - 1;
    square = x * x + y * y;
  } while (square >= 1 || square == 0);
  const double scale = std::sqrt(-2 * std::log(square) / square);
  next_gaussian_ = y * scale;
  return x * scale;
}

std::int32_t JavaRandom::next_int(std::int32_t bound) {
  const auto wide = static_cast<std::int64_t>(bound);
  if ((bound & (bound - 1)) == 0) return static_cast<std::int32_t>((wide * next(31)) >> 31);
  while (true) {
    const std::int64_t bits = next(31);
    const std::int64_t value = bits % wide;
    // The last, incomplete run of `bound` numbers below 2^31 is drawn again.
    if (bits - value + (wide - 1) <= INT32_MAX) return static_cast<std::int32_t>(value);
  }
}

}  // namespace vecc
