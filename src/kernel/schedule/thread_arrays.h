// What a thread keeps of rows in arrays: in registers, on its stack, in its scratch memory.
#pragma once

#include "src/kernel/schedule/kernel_schedule.h"
#include "vecc/kernel.h"

namespace vecc {

/// Decides scratch, scratch_bytes and array_bytes of a schedule of which the loops are known. In
/// C++ the arrays have places on the stack, in the order in which they are declared, until that is
/// full; each of the others has its own in the scratch memory.
void place_arrays(const Kernel& kernel, KernelSchedule& schedule);

}  // namespace vecc
