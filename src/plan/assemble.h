// From kernel groups to the Plan.
#pragma once

#include "src/plan/lowering.h"
#include "vecc/plan.h"

namespace vecc {

[[nodiscard]] Plan assemble_plan(Lowering& lowering);

/// Fills a launch's tiles (and, of a group with types, the order of its rows): about as much work
/// each, at bounds that depend on nothing but the launch.
void cut_tiles(const Kernel& kernel, const Plan& plan, ArrayIndex types, Launch& launch,
               std::vector<std::shared_ptr<const std::vector<std::uint32_t>>>& arrays);

}  // namespace vecc
