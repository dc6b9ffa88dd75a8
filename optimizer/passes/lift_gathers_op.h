// What becomes of one op when its rows are wanted in another order or number: the rules of
// lift-gathers, op by op.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "optimizer/passes/lift_gathers_reads.h"
#include "vecc/program.h"

namespace vecc::opt {

/// Whether a gather of this kind of op can be lifted into it at all. Not into a weight (it is
/// learnable), a concat (a gather reads one value a side), or the ops of derivatives and their
/// state.
[[nodiscard]] bool takes_gathers(OpKind kind);

/// Number of rows that the op reads of its operands in order to make these rows of its result (of
/// a fact: the rows themselves).
[[nodiscard]] std::uint64_t count_rows_read(const Op& op, const Index& rows);

/// The op that makes the wanted rows, and the rows of its operands that it reads for them.
struct LiftedOp {
  OpAttributes attributes;
  Index rows_read;
  std::vector<std::uint32_t> operands;  ///< those of which it reads other rows than before
};
/// None if the op cannot make them, or only by other means than reading rows in another order: half
/// of a softmax segment, a product with both sides lifted, one whose lifted side would not repeat
/// as it does (or any lift, unless `through_broadcasts`). `rows` is not empty.
[[nodiscard]] std::optional<LiftedOp> lift_op(const ProgramReads& reads, ValueId id,
                                              const Index& rows, bool through_broadcasts);

}  // namespace vecc::opt
