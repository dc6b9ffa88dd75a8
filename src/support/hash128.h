// A 128-bit hash of words and texts: two streams of multiply and rotate. The same on every machine,
// since it names files. Not for hostile collisions.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace vecc {

class Hash128 {
 public:
  void add(std::uint64_t word) {
    high_ = std::rotl((high_ ^ word) * 0x9FB21C651E98DF25ull, 29) + 0x2545F4914F6CDD1Dull;
    low_ = std::rotl((low_ + word) * 0xD6E8FEB86659FD93ull, 33) ^ high_;
  }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
  /// Its size, then its bytes: "ab", "c" is not "a", "bc".
  void add(std::string_view text);

  [[nodiscard]] std::uint64_t high() const { return high_; }
  [[nodiscard]] std::uint64_t low() const { return low_; }

 private:
  std::uint64_t high_ = 0x8A5CD789635D2DFFull;
  std::uint64_t low_ = 0x121FD2155C472F96ull;
};

/// 32 hexadecimal digits.
[[nodiscard]] std::string hexadecimal_text(std::uint64_t high, std::uint64_t low);

}  // namespace vecc
