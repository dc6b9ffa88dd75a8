// A number that tells contents apart: finds damage and mix-ups, not malice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace vecc::emitted {

/// Of eight bytes at a time; those behind the last are zeros.
class Digest {
 public:
  void add(const void* data, std::size_t bytes) {
    const auto* at = static_cast<const char*>(data);
    add(bytes);
    for (; bytes >= sizeof(std::uint64_t); at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, sizeof word);
      add(word);
      bytes -= sizeof word;
    }
    std::uint64_t rest = 0;
    if (bytes > 0) std::memcpy(&rest, at, bytes);
    add(rest);
  }
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9E3779B97F4A7C15u;
    state_ ^= state_ >> 32;
  }
  [[nodiscard]] std::uint64_t value() const { return state_; }
  /// 16 hexadecimal digits.
  [[nodiscard]] std::string text() const {
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[state_ >> shift & 15];
    return text;
  }

 private:
  std::uint64_t state_ = 0x243F6A8885A308D3u;
};

/// zlib's CRC-32, going on from that of the bytes before.
inline std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before = 0) {
  static const std::array<std::uint32_t, 256> kOfByte = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
      table[byte] = byte;
      for (int bit = 0; bit < 8; ++bit) {
        table[byte] = table[byte] >> 1 ^ ((table[byte] & 1) != 0 ? 0xEDB88320u : 0);
      }
    }
    return table;
  }();
  std::uint32_t crc = ~before;
  for (const char byte : bytes) {
    crc = kOfByte[(crc ^ static_cast<unsigned char>(byte)) & 255] ^ crc >> 8;
  }
  return ~crc;
}

inline std::string digest_text(std::string_view bytes) {
  Digest digest;
  digest.add(bytes.data(), bytes.size());
  return digest.text();
}

}  // namespace vecc::emitted
