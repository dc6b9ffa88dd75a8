// Which rows of its operands some rows of an op read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vecc/program.h"

namespace vecc {

/// For rows `rows` of op `id` (rising), the rows of operand k in the order in which an op that had
/// only those rows would read them: of a segment, member after member (a fixed one over dimension
/// 1: member 0 of all segments, then member 1); of a concat, those that come from operand k; of a
/// broadcast map operand, its one row. Softmax and sparsemax segments are whole in `rows`
/// (complete_segments). Not for contract, state and update.
[[nodiscard]] std::vector<std::uint32_t> operand_rows(const Program& program, ValueId id,
                                                      std::size_t k,
                                                      const std::vector<std::uint32_t>& rows);

/// Whether each row of op `id` reads that row of operand k and no other: operand_rows() of any rows
/// are these. May be false where that is so.
[[nodiscard]] bool reads_same_rows(const Program& program, ValueId id, std::size_t k);

/// Adds the other rows of the softmax and sparsemax segments that `rows` (rising) reach into.
void complete_segments(const Op& op, std::vector<std::uint32_t>& rows);

}  // namespace vecc
