// Appending a chunk's columns to a graph's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace vecc::graph_io {

/// Appends with room for a quarter more (doubling would leave up to half of a large column unused,
/// and reserving exactly would copy it for every chunk).
template <class T, class U>
void append_column(std::vector<T>& column, const U* data, std::size_t count) {
  const std::size_t needed = column.size() + count;
  if (needed > column.capacity()) column.reserve(needed + column.size() / 4);
  column.insert(column.end(), data, data + count);
}

/// Gives back unused room where it is worth a copy.
template <class T>
void trim_column(std::vector<T>& column) {
  if (column.capacity() - column.size() > column.size() / 32) column.shrink_to_fit();
}

/// a * b, or none beyond 64 bits.
inline std::optional<std::uint64_t> checked_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

}  // namespace vecc::graph_io
