// Which values of a Program get a gradient: those between wanted parameters and seeds.
#pragma once

#include <span>
#include <vector>

#include "vecc/differentiate.h"

namespace vecc::autodiff {

/// By value. Errors: those of append_gradients but LimitRows.
[[nodiscard]] Result<std::vector<bool>> find_gradient_path(const Program& program,
                                                           std::span<const Seed> seeds,
                                                           std::span<const ParameterIndex> wanted);

}  // namespace vecc::autodiff
