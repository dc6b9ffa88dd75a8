// What evaluate and predict share: a graph with the weights of a file, as a Program on a backend.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "choose_samples.h"
#include "execute.h"
#include "options.h"
#include "tools/common/stages.h"
#include "vecc/neuron_graph.h"
#include "vecc/program.h"

namespace vecc::tools {

struct SampleRun {
  NeuronGraph graph;
  Program program;
  BackendChoice backend;
  SplitChoice split = SplitChoice::All;
  std::vector<std::uint32_t> samples;  ///< of that split
};

/// Imports, loads weights, chooses samples, vectorizes, optimizes. `split`: none for `otherwise` of
/// the graph. Errors: those of the stages; MissingValues with the way out.
[[nodiscard]] Result<SampleRun> prepare_samples(const Options& options,
                                                std::optional<SplitChoice> split,
                                                SplitChoice (*otherwise)(const NeuronGraph&),
                                                Stages& stages);

}  // namespace vecc::tools
