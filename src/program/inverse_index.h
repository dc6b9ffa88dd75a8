// The inverse of an index: the entries that read each row. A gather's gradient adds, to each row,
// the gradients of its readers; with the inverse at hand that is a sum over segments, in one order,
// every time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vecc/index.h"

namespace vecc {

/// Row r is read at positions readers[offsets[r]] .. readers[offsets[r + 1] - 1] of the index, in
/// rising order. offsets has rows + 1 entries, readers one a position.
struct InverseIndex {
  std::vector<std::uint32_t> offsets;
  std::vector<std::uint32_t> readers;
};
/// Of rows first .. first + rows - 1, counted from there: every entry of `index` is one. Linear in
/// both (a counting sort by all threads of the scope, ListThreads).
[[nodiscard]] InverseIndex inverse_index(std::span<const std::uint32_t> index, std::uint32_t rows,
                                         std::uint32_t first = 0);
[[nodiscard]] InverseIndex inverse_index(const Index& index, std::uint32_t rows);

}  // namespace vecc
