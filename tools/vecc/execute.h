// Running a graph: by the reference, or as a Program on a backend.
#pragma once

#include <cstdint>
#include <functional>
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
  /// Of a cross-validation: by sample, the fold whose training made its output, from 1; 0: none,
  /// the sample has no output.
  std::vector<std::uint32_t> folds;
  std::string backend;
  std::string reason;  ///< why that backend; empty if it was asked for
  std::string device;
  DType dtype = DType::F64;
  MatmulPrecision precision = MatmulPrecision::Exact;
  std::vector<double> run_seconds;  ///< by run
  std::vector<double> op_seconds;   ///< by op of the Program; empty: not measured
};

/// Evaluates the graph itself, `options.repeat` times: stage `run`; then writes the gradients, if
/// they are asked for.
[[nodiscard]] Result<Execution> execute_reference(const NeuronGraph& graph, const Options& options,
                                                  Stages& stages);

struct BackendChoice {
  const Backend* backend = nullptr;
  std::string reason;  ///< empty if it was asked for
};
/// Errors: the backend's; with auto, DeviceAbsent with one line a backend that cannot, Usage where
/// one is chosen that does not have what is asked for.
[[nodiscard]] Result<BackendChoice> choose_backend(const Program& program, const Options& options);

/// Where a MemoryStatement goes: stderr, or nowhere.
[[nodiscard]] std::function<void(const std::string&)> says_memory(const Options& options);

/// How the command line wants a Program run.
[[nodiscard]] ExecutionOptions execution_options(const Options& options);

/// Compiles and runs `options.repeat` times, with options.eval_batch_size some samples at a time:
/// stages `compile` and `run`; measures every op for the
/// page of --emit=html; then writes the gradients, if they are asked for. Errors: the backend's.
[[nodiscard]] Result<Execution> execute_program(const NeuronGraph& graph, const Program& program,
                                                const BackendChoice& choice, const Options& options,
                                                Stages& stages);

}  // namespace vecc::tools
