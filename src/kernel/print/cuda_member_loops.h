// The loops of sums over segments, in CUDA: several members of a row, or several numbers of a flat
// kernel, that a thread loads before it computes the first. A loop that a compiler unrolls itself
// has a branch behind each, or a store that might change what is loaded next, as far as it knows,
// and so waits for each by itself.
#pragma once

#include "src/kernel/print/body_text.h"
#include "src/kernel/print/reductions.h"

namespace vecc {

/// The first member of a slot, and how many slots there are: of a row's lanes, if these share
/// members.
[[nodiscard]] inline const char* first_member(const StepPlace& place) {
  return place.by_lanes ? "slot * G + lane" : "slot";
}
[[nodiscard]] inline const char* slot_count(const StepPlace& place) {
  return place.by_lanes ? "(Slots * G)" : "Slots";
}

/// The loop over members of a phase.
void print_batches(BodyText& out, const KernelPhase& phase, StepPlace place);

/// Numbers at, at + kThreads, ... of a flat kernel that loads nothing that it stores.
void print_flat_batch(BodyText& out);

}  // namespace vecc
