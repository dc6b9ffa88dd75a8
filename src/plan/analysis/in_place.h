// Launches that store where they read: a buffer that is read for the last time in a launch, only at
// the row that the launch stores, and before it does, may lend its place to what is stored.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/kernel/access_steps.h"
#include "vecc/plan.h"

namespace vecc {

/// By buffer: whether a number step writes it. That runs before its launch, in which others still
/// read: such a buffer takes no other one's place.
[[nodiscard]] std::vector<bool> written_by_steps(const Plan& plan);

/// Whether `old`'s place may become that of `made` in a launch: all accesses to either reach the
/// same rows, and those to `old` come first.
[[nodiscard]] bool may_lend_place(const Kernel& kernel, std::span<const AccessSteps> steps,
                                  const Launch& launch, BufferIndex old, BufferIndex made);

/// By buffer: the one whose place it may take in the launch that stores it first, kNone if none.
/// Each lends its place once.
[[nodiscard]] std::vector<BufferIndex> find_lenders(const Plan& plan);

/// Marks the kernels of launches in which a buffer takes another's place. Kernels that became the
/// same are one again.
void mark_in_place(Plan& plan, std::span<const BufferIndex> takes);

}  // namespace vecc
