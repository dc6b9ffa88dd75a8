// Steps that a StepStore may have.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vecc/program.h"
#include "vecc/train.h"

namespace vecc::training {

/// Everything that decides the step of `samples` beside the forward Program, the graph and what is
/// done with it (`kind`): StepStore's `what`.
[[nodiscard]] std::string describe_step(std::string_view kind,
                                        std::span<const std::uint32_t> samples,
                                        const TrainOptions& options);

/// The step that `make` makes of `program` (which may have parameters more), or the one that
/// options.steps has of it: with the values of `program`'s parameters, and 1 of scalars beyond
/// them. One that does not continue `program` is as if it was not there. Errors: those of `make`.
[[nodiscard]] Result<SavedStep> find_or_make_step(
    const TrainOptions& options, const std::string& what, Program program,
    const std::function<Result<SavedStep>(Program)>& make);

}  // namespace vecc::training
