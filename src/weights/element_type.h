// Names and sizes of element types, and bytes as numbers.
#pragma once

#include <bit>
#include <cstring>
#include <optional>
#include <string_view>

#include "vecc/weights.h"

namespace vecc {

// Files are little-endian, and their elements are copied as they are.
static_assert(std::endian::native == std::endian::little, "vecc runs on little-endian machines");

/// T at `bytes`, which need no alignment.
template <class T>
[[nodiscard]] T load_little_endian(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// `F32`, as safetensors writes it.
[[nodiscard]] std::optional<ElementType> parse_element_type(std::string_view text);
/// NumPy's kind and size: `f4`, `b1`.
[[nodiscard]] std::optional<ElementType> parse_numpy_type(std::string_view text);

/// Bytes of a tensor; none beyond 64 bits.
[[nodiscard]] std::optional<std::uint64_t> checked_bytes(ElementType type,
                                                         const std::vector<std::uint64_t>& shape);

/// More dimensions than any of the formats' own tools make.
inline constexpr std::size_t kMaxDimensions = 64;

}  // namespace vecc
