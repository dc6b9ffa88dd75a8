// When a kernel reads and writes a row, as places in its text.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "vecc/kernel.h"

namespace vecc {

/// Steps are numbered through all phases. What a step does of one row (one member) comes before
/// what later steps do of that row, however rows are grouped.
struct AccessSteps {
  /// Where it is loaded first, or stored first; no step does: the largest number.
  std::uint32_t first = std::numeric_limits<std::uint32_t>::max();
  /// The last step that may read entries of what was loaded: loads of arrays are pointers.
  std::uint32_t last = 0;
};
/// By access.
[[nodiscard]] std::vector<AccessSteps> access_steps(const Kernel& kernel);

}  // namespace vecc
