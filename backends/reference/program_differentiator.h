// Reverse mode over a whole Program.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backends/reference/interpreter_plan.h"

namespace vecc::reference {

/// The derivatives of one number by the rows of every parameter (by parameter, each rows * size),
/// from those by the outputs (`output_gradients`, as Executable::differentiate has them; their
/// number is checked). `values` are those of a run, as the plan keeps them. Ops go from last to
/// first, each adds to its operands in row order: the same call gives the same bits.
[[nodiscard]] std::vector<std::vector<double>> differentiate_program(
    const Program& program, const InterpreterPlan& plan, const ValueStorage& values,
    std::span<const double> output_gradients);

}  // namespace vecc::reference
