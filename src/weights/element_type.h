// Names and sizes of element types, and bytes as numbers.
#pragma once

#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "vecc/weights.h"

namespace vecc::weights {

// Files are little-endian, and their elements are copied as they are.
static_assert(std::endian::native == std::endian::little, "vecc runs on little-endian machines");

/// T at `bytes`, which need no alignment.
template <class T>
[[nodiscard]] T load_little_endian(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// Numbers as elements of a file.
template <class T, class Values>
[[nodiscard]] std::string little_endian_bytes(const Values& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T value = static_cast<T>(values[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof value);
  }
  return bytes;
}

/// values_of() of a tensor's bytes, or some of its elements'.
void append_values(ElementType type, std::string_view data, std::vector<double>& to);

/// `F32`, as safetensors writes it.
[[nodiscard]] std::optional<ElementType> parse_element_type(std::string_view text);
/// NumPy's kind and size: `f4`, `b1`.
[[nodiscard]] std::optional<ElementType> parse_numpy_type(std::string_view text);

/// Bytes of a tensor; none beyond 64 bits.
[[nodiscard]] std::optional<std::uint64_t> checked_bytes(ElementType type,
                                                         const std::vector<std::uint64_t>& shape);

/// More dimensions than any of the formats' own tools make.
inline constexpr std::size_t kMaxDimensions = 64;

}  // namespace vecc::weights
