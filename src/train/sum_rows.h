// The sum of all rows of a value.
#pragma once

#include "vecc/program.h"

namespace vecc::training {

/// One row: the sum of all; zeros if there is none.
[[nodiscard]] ValueId sum_rows(Program& program, ValueId value);

}  // namespace vecc::training
