// Reductions over the members of a segment: sum, mean, product, count, max and min of whole
// members, sparsemax's threshold. What stands before the loop over members, in it and after it.
// (Phases that only sum what they load have loops of their own: in C++ member_sums.h. CUDA's loops
// over members, several in flight, are in cuda_member_loops.h.)
#pragma once

#include <cstdint>

#include "src/kernel/print/body_text.h"

namespace vecc {

/// Where the steps of a body stand.
struct StepPlace {
  KernelSpace space = KernelSpace::Row;
  bool by_lanes = false;  ///< the lanes of a row take members each (PhaseSchedule::by_lanes)
  bool batched = false;   ///< e may be behind the row's members: only if `here` it counts
};

void declare_reductions(BodyText& out, const KernelPhase& phase);
/// What a Reduce or a ReduceArg does with a member.
void print_reduction(BodyText& out, std::uint32_t number, const StepPlace& place);
void finish_reductions(BodyText& out, const KernelPhase& phase, const StepPlace& place);

}  // namespace vecc
