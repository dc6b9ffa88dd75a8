// A Program as a Plan, and how its kernels are started.
#pragma once

#include <optional>

#include "backends/cuda/choose_schedule.h"
#include "backends/cuda/predict_times.h"
#include "backends/native/gradient_program.h"
#include "src/samples/sample_parts.h"
#include "vecc/backend.h"

namespace vecc::cuda {

/// The Plan that a GPU runs if not in parts, verified.
[[nodiscard]] Plan make_device_plan(const native::GradientProgram& program,
                                    const ExecutionOptions& options, const Target& target);

struct ScheduledPlan {
  native::GradientProgram whole;  ///< what is run
  std::vector<ValueId> origin;    ///< SampleParts::origin, if it was split here; else empty
  Plan plan;
  WalkChoice walk;
};
/// In parts if that is asked for, or takes least time on the device. Errors: those of
/// asked_launch(), choose_walk() and make_gradient_program().
[[nodiscard]] Result<ScheduledPlan> schedule_program(const Program& program,
                                                     const ExecutionOptions& options,
                                                     const Device& device);

/// What is counted of it to predict its time; none of a cluster, which nobody predicts.
[[nodiscard]] std::optional<ScheduleCounts> count_schedule(const ScheduledPlan& scheduled);

}  // namespace vecc::cuda
