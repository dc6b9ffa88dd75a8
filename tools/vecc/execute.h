// Running a graph: by the reference, or as a Program on a backend.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "options.h"
#include "tools/common/stages.h"
#include "vecc/backend.h"
#include "vecc/neuron_graph.h"
#include "vecc/program.h"

namespace vecc::tools {

struct Execution {
  std::vector<Executable::Output> outputs;  ///< by sample
  std::string backend;
  std::string reason;  ///< why that backend; empty if it was asked for
  std::string device;
  DType dtype = DType::F64;
  std::vector<double> run_seconds;  ///< by run
};

/// Evaluates the graph itself, `options.repeat` times: stage `run`; then writes the gradients, if
/// they are asked for.
[[nodiscard]] Result<Execution> execute_reference(const NeuronGraph& graph, const Options& options,
                                                  Stages& stages);

/// Chooses the backend, compiles, runs `options.repeat` times: stages `compile` and `run`.
/// Errors: the backend's; with auto, DeviceAbsent with one line a backend that cannot.
[[nodiscard]] Result<Execution> execute_program(const Program& program, const Options& options,
                                                Stages& stages);

}  // namespace vecc::tools
