// What -O2 and -O3 choose among: presets of lift-gathers and paddings.
#pragma once

#include <cstdint>
#include <vector>

#include "optimizer/pipeline.h"

namespace vecc::opt {

struct CandidateChoice {
  const GatherPreset* preset = nullptr;
  PadMode pad_mode = PadMode::Any;
};
/// The choices that `options` leave open, most promising first; so few of them that running the
/// rest of the pipeline over a Program of `rows` rows for each stays in proportion to reading it.
/// One if nothing is open.
[[nodiscard]] std::vector<CandidateChoice> candidates_for(const OptimizeOptions& options,
                                                          std::uint64_t rows);

}  // namespace vecc::opt
