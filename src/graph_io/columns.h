// Appending a chunk's columns to a graph's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "src/support/list_room.h"

namespace vecc::graph_io {

template <class T, class U>
void append_column(std::vector<T>& column, const U* data, std::size_t count) {
  make_room(column, count);
  column.insert(column.end(), data, data + count);
}

/// a * b, or none beyond 64 bits.
inline std::optional<std::uint64_t> checked_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

}  // namespace vecc::graph_io
