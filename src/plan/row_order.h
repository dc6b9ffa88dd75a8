// In which order a launch goes through rows of segments.
#pragma once

#include <cstdint>
#include <vector>

#include "vecc/plan.h"

namespace vecc {

/// Rows of the same class have about as many members: up to twice as many. Those of few are one.
[[nodiscard]] std::uint32_t length_class(std::uint32_t members);

/// For processors that predict where a loop ends. Of rows of up to 15 numbers: whether launches may
/// have an order is the kernel's, so that graphs of all sizes run the same one.
[[nodiscard]] bool may_be_ordered(const Kernel& kernel);
/// The rows by their lengths, tile by tile, so that rows stay near one another; empty where that
/// does not pay.
[[nodiscard]] std::vector<std::uint32_t> order_within_tiles(const Plan& plan, const Launch& launch);

/// For a GPU: the classes of long rows first, since they get more threads (`choose_loops`),
/// each in the order of its rows; empty where no row is much longer than others.
[[nodiscard]] std::vector<std::uint32_t> order_long_first(const Plan& plan, const Launch& launch);

}  // namespace vecc
