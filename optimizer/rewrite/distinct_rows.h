// Equal rows of constants, found by their bits.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimizer/rewrite/equal_rows.h"
#include "vecc/shared_numbers.h"

namespace vecc::opt {

/// The hash of a row of constants: all bits of the result depend on all bits of the row.
[[nodiscard]] std::uint64_t hash_of_constants(const double* row, std::size_t size);

/// The same of the numbers as doubles.
[[nodiscard]] std::uint64_t hash_of_constants(const NumberRow& row, std::size_t size);
/// Whether the bits of `size` numbers are the same.
[[nodiscard]] bool are_same_constants(const NumberRow& a, const NumberRow& b, std::size_t size);

/// By row 0 .. count-1, the first row with the same bits; row i is `size` numbers of row_at(i), a
/// NumberRow. By threads (ListThreads).
template <class RowAt>
[[nodiscard]] std::vector<std::uint32_t> first_of_constants(std::uint32_t count, std::size_t size,
                                                            const RowAt& row_at) {
  return EqualRows::find(
      count, [&](std::uint32_t i) { return hash_of_constants(row_at(i), size); },
      [&](std::uint32_t a, std::uint32_t b) {
        return are_same_constants(row_at(a), row_at(b), size);
      });
}

/// Numbers rows of `size` doubles in the order in which they first come; rows with the same bits
/// get the same number (0.0 and -0.0 differ, a NaN equals itself).
class DistinctRows {
 public:
  explicit DistinctRows(std::size_t size) : numbers_(0, Hash{size}, Equal{size}) {}

  /// `row` points at `size` doubles that outlive the table.
  std::uint32_t number_of(const double* row);
  /// By number: the row that first had it.
  [[nodiscard]] const std::vector<const double*>& rows() const { return rows_; }

 private:
  struct Hash {
    using is_avalanching = void;
    std::size_t size = 0;
    std::size_t operator()(const double* row) const noexcept;
  };
  struct Equal {
    std::size_t size = 0;
    bool operator()(const double* a, const double* b) const noexcept;
  };

  boost::unordered_flat_map<const double*, std::uint32_t, Hash, Equal> numbers_;
  std::vector<const double*> rows_;
};

}  // namespace vecc::opt
