// Launches that read rows which were only copied side by side.
#pragma once

#include <vector>

#include "vecc/plan.h"

namespace vecc {

/// Where launches of one level run at once: a launch that goes through a few rows of a buffer into
/// which parameters, facts or states are copied (a concat of them) becomes one for each of those,
/// of the same kernel, which reads it where it is, and need not wait for the copy. Copies that
/// nobody reads then, nor `kept` (by buffer), are left out. Levels, and the order of launches,
/// follow. Before buffers are placed.
void read_sources(Plan& plan, const std::vector<bool>& kept);

}  // namespace vecc
