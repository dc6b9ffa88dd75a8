#include "src/support/hash128.h"

#include <bit>
#include <cstring>

namespace vecc {
namespace {

// Up to 8 bytes, little-endian.
std::uint64_t read_word(std::string_view bytes) {
  std::uint64_t word = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&word, bytes.data(), bytes.size());
  } else {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
  }
  return word;
}

}  // namespace

void Hash128::add(std::string_view text) {
  add(std::uint64_t{text.size()});
  for (std::size_t i = 0; i < text.size(); i += 8) add(read_word(text.substr(i, 8)));
}

std::string hexadecimal_text(std::uint64_t high, std::uint64_t low) {
  std::string text;
  for (const std::uint64_t half : {high, low}) {
    for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[(half >> shift) & 15];
  }
  return text;
}

}  // namespace vecc
