// Which functions cost many instructions an entry.
#pragma once

#include "vecc/function.h"

namespace vecc {

[[nodiscard]] bool is_slow(Transformation transformation);

/// Rows too short for their own loop over entries to fill a register.
[[nodiscard]] inline bool is_slow_row(Transformation transformation, Shape shape) {
  return shape.size() < 8 && is_slow(transformation);
}

}  // namespace vecc
