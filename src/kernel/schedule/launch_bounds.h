// How many registers a thread of a kernel may take.
#pragma once

#include <cstdint>

#include "src/kernel/schedule/kernel_schedule.h"
#include "vecc/kernel.h"
#include "vecc/target.h"

namespace vecc {

/// KernelSchedule::least_blocks of a schedule of which all else is known: the second number of
/// __launch_bounds__.
[[nodiscard]] std::uint32_t least_blocks(const Kernel& kernel, const KernelSchedule& schedule,
                                         const Target& target);

}  // namespace vecc
