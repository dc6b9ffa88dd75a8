// What ops read once gathers are gone: rows of other values, in one order or another.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "src/plan/analysis/value_source.h"
#include "vecc/plan.h"

namespace vecc {

/// Rows that an op reads: row index[i] of `value` for its row i; `one`: row 0 for all.
struct RowRead : ValueSource {
  Shape shape;
  bool one = false;
  bool by_tile = false;   ///< through the types of the kernel's rows
  bool by_value = false;  ///< a run makes the index: its entries here say nothing
};

[[nodiscard]] RowRead read_of(const Program& program, const ValueSources& sources, ValueId operand);

/// A map's operands, of `rows` rows: one row is read by all.
[[nodiscard]] std::vector<RowRead> map_reads(const Program& program, const ValueSources& sources,
                                             std::span<const ValueId> operands, std::uint32_t rows);

/// The rows of both sides of the `linear` op `id`: all, or those that an index names.
[[nodiscard]] std::array<RowRead, 2> linear_reads(const Program& program,
                                                  const ValueSources& sources, ValueId id,
                                                  const std::optional<Index>& index = std::nullopt);

/// Whether all rows of a product share one matrix that is worth a product in blocks of rows.
[[nodiscard]] bool shares_one_matrix(const RowRead& matrix);
/// Whether the rows of a product are sorted by the matrix (the type) that each of them reads.
[[nodiscard]] bool shares_matrix_by_type(const Program& program, const PlanOptions& options,
                                         std::uint32_t rows, const RowRead& matrix);
/// Whether blocks of threads share the tiles of such a matrix.
[[nodiscard]] bool is_split_over_blocks(const Target& target, Shape matrix);

/// Rows too short for a loop of their own over entries, and a function of many instructions.
[[nodiscard]] bool is_slow_row(Transformation function, Shape row);
/// Whether it is a fact that is 1 in every row.
[[nodiscard]] bool is_constant_one(const Program& program, ValueId value);

}  // namespace vecc
