#include "src/program/inverse_index.h"

#include <numeric>

#include "vecc/error.h"

namespace vecc {
namespace {

/// `row_at(i)` is the row that position i reads.
template <class RowAt>
InverseIndex invert(std::uint32_t positions, std::uint32_t rows, RowAt row_at) {
  InverseIndex inverse;
  inverse.offsets.resize(std::size_t{rows} + 1);
  inverse.readers.resize(positions);
  for (std::uint32_t i = 0; i < positions; ++i) {
    VECC_CHECK(row_at(i) < rows, "an index that fits its operand");
    ++inverse.offsets[row_at(i) + std::size_t{1}];
  }
  std::partial_sum(inverse.offsets.begin(), inverse.offsets.end(), inverse.offsets.begin());
  std::vector<std::uint32_t> next(inverse.offsets.begin(), inverse.offsets.end() - 1);
  for (std::uint32_t i = 0; i < positions; ++i) inverse.readers[next[row_at(i)]++] = i;
  return inverse;
}

}  // namespace

InverseIndex inverse_index(std::span<const std::uint32_t> index, std::uint32_t rows) {
  return invert(static_cast<std::uint32_t>(index.size()), rows,
                [index](std::uint32_t i) { return index[i]; });
}

InverseIndex inverse_index(const Index& index, std::uint32_t rows) {
  if (index.form() == Index::Form::List) return inverse_index(index.array(), rows);
  return invert(index.size(), rows, [&index](std::uint32_t i) { return index[i]; });
}

}  // namespace vecc
