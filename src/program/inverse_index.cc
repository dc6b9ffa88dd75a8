#include "src/program/inverse_index.h"

#include <algorithm>

#include "src/program/index_algebra.h"
#include "src/support/list_threads.h"
#include "vecc/error.h"

namespace vecc {
namespace {

constexpr std::size_t kMostPieces = 16;

/// `row_at(i)` is the row that position i reads.
template <class RowAt>
InverseIndex invert(std::uint32_t positions, std::uint32_t rows, RowAt row_at) {
  InverseIndex inverse;
  inverse.readers = unset_list<std::uint32_t>(positions);
  const bool fits = holds_for_all(
      positions, [&](std::size_t i) { return row_at(static_cast<std::uint32_t>(i)) < rows; });
  VECC_CHECK(fits, "an index that fits its operand");
  // Each thread goes through all positions, for rows of its own: a scan is quick, it is the counts
  // that are in no cache.
  const std::size_t pieces = std::min(kMostPieces, ListThreads::ranges_of(positions));
  const auto for_each_position = [&](const auto& visit) {
    ListThreads::for_pieces(pieces, [&](std::size_t piece) {
      const auto begin = static_cast<std::uint32_t>(std::uint64_t{rows} * piece / pieces);
      const auto end = static_cast<std::uint32_t>(std::uint64_t{rows} * (piece + 1) / pieces);
      for (std::uint32_t i = 0; i < positions; ++i) {
        const std::uint32_t row = row_at(i);
        if (row >= begin && row < end) visit(i, row);
      }
    });
  };
  std::vector<std::uint32_t> next = long_list<std::uint32_t>(rows);
  for_each_position([&](std::uint32_t, std::uint32_t row) { ++next[row]; });
  inverse.offsets = offsets_of(rows, [&](std::size_t row) { return next[row]; });
  ListThreads::for_ranges(rows, [&](std::size_t begin, std::size_t end) {
    std::copy(inverse.offsets.begin() + static_cast<std::ptrdiff_t>(begin),
              inverse.offsets.begin() + static_cast<std::ptrdiff_t>(end),
              next.begin() + static_cast<std::ptrdiff_t>(begin));
  });
  for_each_position([&](std::uint32_t i, std::uint32_t row) { inverse.readers[next[row]++] = i; });
  return inverse;
}

}  // namespace

InverseIndex inverse_index(std::span<const std::uint32_t> index, std::uint32_t rows) {
  return invert(static_cast<std::uint32_t>(index.size()), rows,
                [index](std::uint32_t i) { return index[i]; });
}

InverseIndex inverse_index(const Index& index, std::uint32_t rows) {
  return with_rows(index, [&](auto row_at) { return invert(index.size(), rows, row_at); });
}

}  // namespace vecc
