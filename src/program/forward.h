// Forward Programs: those without a backward pass or a step.
#pragma once

#include "vecc/program.h"

namespace vecc {

/// Whether a Program has no contract, vjp, state or update.
[[nodiscard]] bool is_forward(const Program& program);

}  // namespace vecc
