// Loops over entries, and what a thread keeps of rows from one to the next: in registers, on its
// stack, in its scratch memory.
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

/// Decides scratch, scratch_bytes and array_bytes of a schedule of which the loops are known. In
/// C++ the arrays have places on the stack, in the order in which they are declared, until that is
/// full; each of the others has its own in the scratch memory.
void place_arrays(const Kernel& kernel, KernelSchedule& schedule);

}  // namespace vecc
