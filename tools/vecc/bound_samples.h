// A saved program and a graph that is bound to it: what vecc run and vecc predict do with them.
#pragma once

#include <optional>
#include <string>

#include "execute.h"
#include "options.h"
#include "tools/common/stages.h"
#include "vecc/neuron_graph.h"
#include "vecc/template.h"

namespace vecc::tools {

struct BoundSamples {
  NeuronGraph graph;
  Execution execution;  ///< of all its samples
  std::string loss;     ///< that the program was trained by; empty: unknown
};

/// Runs the graph `path` by the saved program `options.input`, options.repeat times: stages `load`,
/// `import`, `compile`, `bind`, `run`. `dtype`: none for the program's. Where a backend that binds
/// no graphs is asked for, --place, --gpu-memory or --host-memory, the graph gets the program's
/// weights and is compiled as any other. Errors:
/// those of Template::read(), read_graph(), TemplateProgram::bind() and of the stages.
[[nodiscard]] Result<BoundSamples> run_bound(Options options, const std::string& path,
                                             std::optional<DType> dtype, Stages& stages);

}  // namespace vecc::tools
