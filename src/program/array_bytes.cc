#include "src/program/array_bytes.h"

#include <bit>

namespace vecc {
namespace {

void append_little_endian(std::string& bytes, std::uint64_t value, int count) {
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
}

std::uint64_t read_little_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return value;
}

// The finalizer of splitmix64: every input bit reaches every output bit.
std::uint64_t mix(std::uint64_t value) {
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9ull;
  value = (value ^ value >> 27) * 0x94D049BB133111EBull;
  return value ^ value >> 31;
}

}  // namespace

std::uint64_t digest_bytes(std::string_view bytes) {
  std::uint64_t digest = 0x9E3779B97F4A7C15ull ^ bytes.size();
  std::size_t at = 0;
  for (; bytes.size() - at >= 8; at += 8) digest = mix(digest ^ read_little_endian(bytes, at, 8));
  return mix(digest ^ read_little_endian(bytes, at, bytes.size() - at));
}

std::string digest_text(std::uint64_t digest, std::size_t digits) {
  std::string text;
  for (std::size_t i = 0; i < digits; ++i) {
    text += "0123456789abcdef"[digest >> (60 - 4 * i) & 0xF];
  }
  return text;
}

void append_bytes(std::string& bytes, std::uint32_t value) {
  append_little_endian(bytes, value, 4);
}
void append_bytes(std::string& bytes, double value) {
  append_little_endian(bytes, std::bit_cast<std::uint64_t>(value), 8);
}

std::uint32_t read_word(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint32_t>(read_little_endian(bytes, at, 4));
}
double read_double(std::string_view bytes, std::size_t at) {
  return std::bit_cast<double>(read_little_endian(bytes, at, 8));
}

}  // namespace vecc
