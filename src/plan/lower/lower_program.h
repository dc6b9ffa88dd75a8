// From the ops of a Program to kernel groups.
#pragma once

#include "src/plan/analysis/program_analysis.h"
#include "src/plan/group/grouping.h"
#include "vecc/plan.h"

namespace vecc {

/// All ops of the Program, in its order, then its updates. `analysis` outlives the result.
[[nodiscard]] Grouping lower_program(const Program& program, const PlanOptions& options,
                                     const ProgramAnalysis& analysis);

}  // namespace vecc
