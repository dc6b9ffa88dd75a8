// Optimizing a Program for the backend and the device that will run it.
#pragma once

#include "execute.h"
#include "options.h"
#include "tools/common/stages.h"
#include "vecc/program.h"

namespace vecc::tools {

struct Optimized {
  Program program;
  OptimizeReport report;
};

/// The stage `optimize`. The cost model has the device's calibration, if there is one; -O3 measures
/// on the device, and takes what an earlier run of the same program found. `choice.backend` may be
/// null: nothing will run, and nothing is measured. Errors: those of run_optimizer().
[[nodiscard]] Result<Optimized> optimize_for(Program program, const BackendChoice& choice,
                                             const Options& options, Stages& stages);

}  // namespace vecc::tools
