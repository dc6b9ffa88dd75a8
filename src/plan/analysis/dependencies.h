// Which launches of a Plan must wait for which: those that touch the same numbers, one of them
// storing. A Plan's own order is one that obeys this; a device may run the others at once.
#pragma once

#include <cstdint>
#include <vector>

#include "vecc/plan.h"

namespace vecc {

/// By launch, in rising order: launches of the same stage before it that must have ended. Whatever
/// they wait for in turn may be left out. Reads through a list count as reads of all rows that it
/// may name.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> launch_dependencies(const Plan& plan);

}  // namespace vecc
