// Forward Programs: those without a backward pass or a step, or what only a step has.
#pragma once

#include "vecc/program.h"

namespace vecc {

/// Whether a Program has no contract, vjp, state or update, and no index that is a value: sums of
/// gradients by one are a backward pass, too.
[[nodiscard]] bool is_forward(const Program& program);

}  // namespace vecc
