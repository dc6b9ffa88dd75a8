// Coefficients of schedules from runs that were measured.
#pragma once

#include <span>

#include "backends/cuda/predict_times.h"

namespace vecc::cuda {

struct MeasuredSchedule {
  ScheduleCounts counts;
  double microseconds = 0;
};

/// Those, none negative, with the least sum of squared relative errors (fit_times()): of a graph,
/// of a grid and of parts from the runs of each; of what has none the defaults.
[[nodiscard]] ScheduleCoefficients fit_schedules(std::span<const MeasuredSchedule> runs,
                                                 const ScheduleCoefficients& otherwise);

}  // namespace vecc::cuda
