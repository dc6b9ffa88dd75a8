// Which functions cost many instructions an entry.
#pragma once

#include "vecc/function.h"

namespace vecc {

/// Rows too short for their own loop over entries to fill a register.
[[nodiscard]] inline bool is_slow_row(Transformation transformation, Shape shape) {
  return shape.size() < 8 && info(transformation).cost == FunctionCost::Slow;
}

}  // namespace vecc
