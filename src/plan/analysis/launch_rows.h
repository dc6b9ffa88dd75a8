// Which elements of their buffers the accesses of a launch reach.
#pragma once

#include <cstddef>
#include <cstdint>

#include "vecc/plan.h"

namespace vecc {

/// How far a loop's counter goes.
[[nodiscard]] std::uint64_t counted_rows(const Plan& plan, const Kernel& kernel,
                                         const Launch& launch, KernelSpace space);

/// Whether two accesses may reach the same element of one buffer (two buffers of one parameter), in
/// whatever steps of their loops.
[[nodiscard]] bool may_overlap(const Plan& plan, const Kernel& kernel, const Launch& launch,
                               std::size_t a, std::size_t b);

/// Whether they reach, in every step of their loop, the same elements of their buffers.
[[nodiscard]] bool reach_same_rows(const Kernel& kernel, const Launch& launch, std::size_t a,
                                   std::size_t b);

}  // namespace vecc
