// A Program with its backward pass, from given gradients by its outputs to all of its parameters.
#pragma once

#include <optional>
#include <vector>

#include "vecc/error.h"
#include "vecc/program.h"

namespace vecc::native {

struct GradientProgram {
  Program program;
  ValueId first = 0;                  ///< the first op of the backward pass
  std::vector<ParameterIndex> seeds;  ///< by `output` op, in order: its gradient, a parameter
  /// By parameter of the forward Program; none if no output depends on it.
  std::vector<std::optional<ValueId>> gradients;
};

/// Errors: those of append_gradients().
[[nodiscard]] Result<GradientProgram> make_gradient_program(const Program& forward);

/// When a Plan has them: drops the ops of the backward pass of `forward`, of which there may be
/// millions. What is asked of it then (parameters, states) is there.
void forget_backward(GradientProgram& whole, const Program& forward);

}  // namespace vecc::native
