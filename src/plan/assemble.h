// From kernel groups to the Plan.
#pragma once

#include "vecc/plan.h"

namespace vecc {

/// Fills a launch's tiles: about as much work each, at bounds that depend on nothing but the
/// launch; and the order of its rows, of a group with types, or where it pays (`ordered` of the
/// kernel).
void cut_tiles(Kernel& kernel, const Plan& plan, ArrayIndex types, const PlanOptions& options,
               Launch& launch,
               std::vector<std::shared_ptr<const std::vector<std::uint32_t>>>& arrays);

}  // namespace vecc
