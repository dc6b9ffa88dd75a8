#include "src/kg/train/row_dropout.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "src/kg/formulas/draws.h"

namespace vecc::kg {
namespace {

constexpr std::size_t kDrawBlock = 16;

// out[i] = formulas::draw_bits() of position + i, word by word: the compiler makes vectors of
// lanes.
void draw_block(std::uint64_t seed, DrawStream stream, std::uint64_t step, std::uint64_t position,
                formulas::DrawBits* out) {
  std::uint32_t words[4][kDrawBlock];
  for (std::size_t i = 0; i < kDrawBlock; ++i) {
    const std::uint64_t counter = (position + i) | static_cast<std::uint64_t>(stream) << 56;
    words[0][i] = static_cast<std::uint32_t>(counter);
    words[1][i] = static_cast<std::uint32_t>(counter >> 32);
    words[2][i] = static_cast<std::uint32_t>(step);
    words[3][i] = static_cast<std::uint32_t>(step >> 32);
  }
  auto key0 = static_cast<std::uint32_t>(seed);
  auto key1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    for (std::size_t i = 0; i < kDrawBlock; ++i) {
      const std::uint64_t a = static_cast<std::uint64_t>(words[0][i]) * 0xD2511F53u;
      const std::uint64_t b = static_cast<std::uint64_t>(words[2][i]) * 0xCD9E8D57u;
      words[0][i] = static_cast<std::uint32_t>(b >> 32) ^ words[1][i] ^ key0;
      words[1][i] = static_cast<std::uint32_t>(b);
      words[2][i] = static_cast<std::uint32_t>(a >> 32) ^ words[3][i] ^ key1;
      words[3][i] = static_cast<std::uint32_t>(a);
    }
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  for (std::size_t i = 0; i < kDrawBlock; ++i) {
    out[i] = words[0][i] | static_cast<std::uint64_t>(words[1][i]) << 32;
  }
}

}  // namespace

std::uint32_t dropout_share(double p) {
  return static_cast<std::uint32_t>(std::lround(p * 0x1p16));
}

double dropout_scale(std::uint32_t share) {
  return 0x1p16 / (0x1p16 - share);
}

template <class T>
RowDropout<T>::RowDropout(double p, DrawStream stream, std::uint64_t seed, std::uint64_t step)
    : seed_(seed),
      step_(step),
      stream_(stream),
      share_(dropout_share(p)),
      scale_(static_cast<T>(dropout_scale(share_))) {}

// body(first, count, factors) for stretches of a row, factors being of numbers from `first` on.
template <class T>
template <class Body>
void RowDropout<T>::each_stretch(std::uint64_t slot, std::size_t width, const Body& body) const {
  constexpr std::size_t kNumbers = 4 * kDrawBlock;
  formulas::DrawBits bits[kDrawBlock];
  std::uint16_t words[kNumbers];
  T factors[kNumbers];
  for (std::size_t first = 0; first < width; first += kNumbers) {
    draw_block(seed_, stream_, step_, formulas::dropout_position(slot, width, first), bits);
    // is_dropped() of all: the words of a draw lie in memory from the lowest on.
    static_assert(std::endian::native == std::endian::little && sizeof words == sizeof bits);
    std::memcpy(words, bits, sizeof words);
    for (std::size_t k = 0; k < kNumbers; ++k) factors[k] = words[k] < share_ ? T{0} : scale_;
    body(first, std::min(kNumbers, width - first), factors);
  }
}

template <class T>
void RowDropout<T>::apply(std::uint64_t slot, const T* row, std::size_t width, T* out) const {
  each_stretch(slot, width, [&](std::size_t first, std::size_t count, const T* factors) {
    for (std::size_t k = 0; k < count; ++k) out[first + k] = factors[k] * row[first + k];
  });
}

template <class T>
void RowDropout<T>::add_gradient(std::uint64_t slot, const T* gradient, std::size_t width,
                                 T* sum) const {
  each_stretch(slot, width, [&](std::size_t first, std::size_t count, const T* factors) {
    for (std::size_t k = 0; k < count; ++k) sum[first + k] += factors[k] * gradient[first + k];
  });
}

template class RowDropout<float>;
template class RowDropout<double>;

}  // namespace vecc::kg
