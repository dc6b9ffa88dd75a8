// A score's kernel whose products are of columns: rows of numbers, which expressions have between
// transposes, become the columns that they are made of. Products of columns with matrices, and of
// two columns, have loops of their own (src/kernel/schedule).
#pragma once

#include "src/kg/score_formula/score_kernels.h"

namespace vecc::kg {

/// The same stores; nodes may be there that nothing reads.
[[nodiscard]] ScoreKernel with_columns(ScoreKernel kernel);

}  // namespace vecc::kg
