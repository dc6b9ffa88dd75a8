// One run of one Program of a comparison.
#pragma once

#include <string>
#include <vector>

#include "optimizer/compare/compare_programs.h"
#include "vecc/backend.h"

namespace vecc::opt {

struct ProgramRun {
  std::vector<Executable::Output> outputs;     ///< by sample
  std::vector<std::vector<double>> gradients;  ///< by parameter; empty without gradients
};

/// On the weights that `seed` draws. Errors: those of compare_programs.
[[nodiscard]] Result<ProgramRun> run_on_draw(const Program& program, std::uint64_t seed,
                                             bool gradients);

}  // namespace vecc::opt
