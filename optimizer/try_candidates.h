// What the passes make of a Program for each candidate, with as few runs of passes as that takes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "optimizer/candidates.h"
#include "vecc/optimize.h"

namespace vecc::opt {

/// What the pipeline makes for some of the choices.
struct Trial {
  std::vector<std::size_t> choices;  ///< by number, ascending; at least one
  Program program;
  std::vector<PassRun> runs;  ///< those of the first of the choices
  ProgramStatistics statistics;
};

/// Runs the pipeline from first_choice_step() on. Choices share the runs of passes for as long as
/// their Programs are the same. Every choice is in one trial. `statistics`: of `program`. Errors:
/// BadPass.
[[nodiscard]] Result<std::vector<Trial>> try_candidates(Program program,
                                                        const ProgramStatistics& statistics,
                                                        std::span<const CandidateChoice> choices,
                                                        const OptimizeOptions& options,
                                                        bool differentiated);

}  // namespace vecc::opt
