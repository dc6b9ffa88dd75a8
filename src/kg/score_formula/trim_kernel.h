// A score's kernel without what its stores do not need: derivatives of an expression are made with
// all that they might read.
#pragma once

#include "src/kg/score_formula/score_kernels.h"

namespace vecc::kg {

/// The same kernel, whose derivatives have the operands that they read.
[[nodiscard]] ScoreKernel with_read_operands(ScoreKernel kernel);
/// The same stores; nodes that none of them reads are gone, as are their loads. Loads stand before
/// what reads them first, in the order of its operands.
[[nodiscard]] ScoreKernel trimmed(ScoreKernel kernel);

}  // namespace vecc::kg
