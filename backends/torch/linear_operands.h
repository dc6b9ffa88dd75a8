// What fusing asks about a Program's ops: a value's readers, and which row of an operand stands
// behind a row of a `linear`.
#pragma once

#include <cstdint>
#include <vector>

#include "vecc/program.h"

namespace vecc::libtorch {

/// By value: how many operands name it.
[[nodiscard]] std::vector<std::uint32_t> count_readers(const Program& program);

/// Side 0 is the left operand.
[[nodiscard]] bool is_transposed(const LinearOp& linear, std::uint32_t side);
[[nodiscard]] const Lift& lift_of(const LinearOp& linear, std::uint32_t side);

[[nodiscard]] bool is_lifted(const Lift& lift);
/// The operand's row, of `rows`, behind row e of the lifted operand.
[[nodiscard]] std::uint32_t row_before(const Lift& lift, std::uint32_t rows, std::uint32_t e);

}  // namespace vecc::libtorch
