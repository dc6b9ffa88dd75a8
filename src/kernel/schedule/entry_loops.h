// Loops over entries, and what is kept from one to the next.
#pragma once

#include <cstdint>
#include <vector>

#include "src/kernel/schedule/kernel_schedule.h"
#include "vecc/kernel.h"

namespace vecc {

/// Nodes whose entries something outside of their loop over entries reads: they are in arrays.
[[nodiscard]] std::vector<std::uint32_t> nodes_in_arrays(const Kernel& kernel);

/// By access, how many numbers of a row a lane moves at once (KernelSchedule::packs).
[[nodiscard]] std::vector<std::uint32_t> packs_of(const Kernel& kernel, std::uint32_t lanes);

/// On a GPU, what a row loads after its members is in flight before them. `packs` are known.
[[nodiscard]] std::vector<std::uint32_t> early_loads(const Kernel& kernel,
                                                     const KernelSchedule& schedule);

}  // namespace vecc
