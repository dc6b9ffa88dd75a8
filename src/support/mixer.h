// A fingerprint of words, one after another: the same on every machine, for no adversary.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vecc {

/// Two independent streams of multiply and rotate.
class Mixer {
 public:
  void add(std::uint64_t word) {
    high_ = std::rotl((high_ ^ word) * 0x9FB21C651E98DF25ull, 29) + 0x2545F4914F6CDD1Dull;
    low_ = std::rotl((low_ + word) * 0xD6E8FEB86659FD93ull, 33) ^ high_;
  }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
  void add(std::string_view text) {
    add(std::uint64_t{text.size()});
    for (std::size_t i = 0; i < text.size(); i += 8) {
      std::uint64_t word = 0;
      for (std::size_t k = i; k < text.size() && k < i + 8; ++k) {
        word |= std::uint64_t{static_cast<unsigned char>(text[k])} << (8 * (k - i));
      }
      add(word);
    }
  }
  [[nodiscard]] std::uint64_t high() const { return high_; }
  [[nodiscard]] std::uint64_t low() const { return low_; }

 private:
  std::uint64_t high_ = 0x8A5CD789635D2DFFull;
  std::uint64_t low_ = 0x121FD2155C472F96ull;
};

}  // namespace vecc
