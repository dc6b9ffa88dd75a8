// Gradients within limits.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "vecc/train_step.h"

namespace vecc::training {

struct ClippedGradients {
  std::vector<ValueId> gradients;  ///< in the order given
  std::optional<ValueId> norm;     ///< with clip_norm: of all together, before limits
};
[[nodiscard]] ClippedGradients clip_gradients(Program& program,
                                              std::span<const ParameterGradient> gradients,
                                              const OptimizerOptions& options);

}  // namespace vecc::training
