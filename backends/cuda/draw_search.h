// The steps of a search that draw members: from a batch's samples, backwards through the Program
// whose members are drawn (SampledSegments), to the weights of those drawn, which the rest of the
// search begins with. What ProgramReads (src/train/program_reads.h) does on the host.
#pragma once

#include <cstdint>

#include "backends/cuda/search_sections.h"
#include "vecc/fanout.h"

namespace vecc::cuda {

/// Adds samples and draws, which stand before all else. `members`: with segments.
void describe_draws(const SampledMembers& members, SearchSections& sets, TableMemory& memory);

}  // namespace vecc::cuda
