// Row numbers that are values of the step: what steps between launches make of them, once for all
// ops that have the same ones.
#pragma once

#include <cstdint>

#include "src/plan/lower/op_lowering.h"

namespace vecc {

/// The value whose rows are those that are read, one after another in memory: what is read through
/// an index is copied.
[[nodiscard]] ValueId stored_rows(const OpLowering& lowering, const RowRead& read,
                                  std::uint32_t rows);

/// The numbers in operand `k` of the op, which count `rows`; `is_sorted`: with their order.
[[nodiscard]] RowNumbers& row_numbers_of(const OpLowering& lowering, std::size_t k,
                                         std::uint64_t rows, bool is_sorted);

/// Rows of `value`, read through one of the indices of `numbers`; and the numbers, as what has to
/// be there before.
[[nodiscard]] RowRead read_by_value(ValueId value, const Index& index, Shape shape);

/// The level of the last step so far; 0: there is none.
[[nodiscard]] std::uint32_t last_step_level(const Grouping& grouping);

}  // namespace vecc
