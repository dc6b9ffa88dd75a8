// Whether a forward Program is split into parts, one for each block (CudaLaunch::Parts).
#pragma once

#include <cstdint>
#include <optional>

#include "backends/cuda/asked_launch.h"
#include "backends/cuda/schedule_coefficients.h"
#include "src/samples/sample_parts.h"

namespace vecc::cuda {

/// The parts, as many as the GPU has multiprocessors, if that is asked for, or what blocks then
/// compute more than once takes clearly less time than waiting for one another (by `coefficients`,
/// which else nobody looks at): forward, `with_gradients` forward and backward. None: a Program
/// with derivatives, one sample, too large.
[[nodiscard]] std::optional<SampleParts> arrange_parts(const Program& program,
                                                       const AskedLaunch& asked,
                                                       const ScheduleCoefficients& coefficients,
                                                       const Target& target, bool with_gradients);

/// Whether a Program, with or without derivatives, is to be tried in parts: it is small enough, and
/// that is asked for, or it was `arranged` and nothing else is asked for.
[[nodiscard]] bool may_run_in_parts(const Program& program, const AskedLaunch& asked,
                                    bool arranged);

}  // namespace vecc::cuda
