// What there is to compile of a kernel.
#pragma once

#include <cstdint>

#include "src/kernel/schedule/kernel_schedule.h"
#include "vecc/kernel.h"

namespace vecc {

/// The entries that a thread computes, of all nodes and in all loops, which are unrolled: what a
/// compiler takes grows with them.
[[nodiscard]] std::uint64_t unrolled_entries(const Kernel& kernel, const KernelSchedule& schedule);

}  // namespace vecc
