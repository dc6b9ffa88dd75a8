// Where buffers lie in the arena, from when they are live.
#pragma once

#include <cstdint>
#include <span>

#include "vecc/plan.h"

namespace vecc {

/// Places all buffers of a Plan whose launches are there: those that may be in place of others, and
/// says so in the kernels that then store where they read.
void place_buffers(const PlanOptions& options, Plan& plan);

/// Sets the offset of every Arena buffer: two that are live at once do not overlap; every buffer
/// begins at a multiple of 16 elements. Returns the arena's size in elements. Best fit, in the
/// order of launches. `takes`, by buffer: one of the same size whose place it takes when that ends
/// (kNone: none); empty: none does.
std::uint64_t place_in_arena(std::span<PlanBuffer> buffers, std::uint32_t launches,
                             std::span<const BufferIndex> takes = {});

/// The arena's size if no two buffers ever lie at the same place.
[[nodiscard]] std::uint64_t elements_apart(std::span<const PlanBuffer> buffers);

/// Where launches of one level run at once: each buffer lives from the first launch of the level
/// that it begins in to the last one of that in which it ends.
void live_by_level(std::span<const Launch> launches, std::span<PlanBuffer> buffers);

}  // namespace vecc
