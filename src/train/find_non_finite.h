// Where a step makes its first number that is not finite.
#pragma once

#include <optional>
#include <span>

#include "src/train/step_program.h"
#include "vecc/backend.h"
#include "vecc/train.h"

namespace vecc::training {

/// Runs the step once more with every value kept and looks for NaN and infinity in the order of
/// ops; none if all are finite. `inputs` are what the step's run sets. The parameters are
/// afterwards those after the step.
[[nodiscard]] Result<std::optional<NonFinite>> locate_non_finite(
    const Backend& backend, const ExecutionOptions& execution, const StepProgram& step,
    const TrainPosition& position, std::span<const ParameterValues> inputs);

}  // namespace vecc::training
