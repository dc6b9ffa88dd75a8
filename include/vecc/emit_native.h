// A Program's forward pass as a folder of C++ or of CUDA C++ that is built and run without vecc:
// the kernels that the cpu or the cuda backend runs, a small runtime, and everything else as data
// (docs/cpp.md, docs/cuda-program.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vecc/emitted_sample.h"
#include "vecc/error.h"
#include "vecc/matmul_precision.h"
#include "vecc/program.h"
#include "vecc/target.h"
#include "vecc/weights.h"

namespace vecc {

struct NativeOptions {
  /// All weight tables (weights_of()). None: the Program's own parameters, and their values.
  std::optional<WeightFile> weights;
  WeightFile facts;                    ///< parameters that are no weights: bound facts
  std::vector<std::string> fixed;      ///< those of them whose values the Program contains
  std::vector<EmittedSample> samples;  ///< empty: numbers, no targets
  /// Of wide products in f32: emit_cuda(), for GPUs of compute capability 8.0 or newer.
  MatmulPrecision precision = MatmulPrecision::Exact;
  /// The GPU that emit_cuda() plans for; the program runs on others of its capability or newer,
  /// too.
  Target target = default_gpu();
};

/// Everything in the Program that no such program can do: what no Plan can, and the steps of a
/// training. Empty if there is nothing.
[[nodiscard]] std::vector<std::string> unsupported_in_native(const Program& program);

/// Writes sources, CMakeLists.txt, README.md, data.safetensors, weights.safetensors and,
/// with bound facts, facts.safetensors into `directory`, which must be new or empty: all of them or
/// none. The text does not grow with the graph, but for one file a distinct kernel. Errors:
/// BackendUnsupported for everything that cannot be emitted, MissingValues for each parameter
/// without values, CannotWrite, UnreadWeights (a name that safetensors cannot hold).
[[nodiscard]] Result<void> emit_cpp(const Program& program, const std::string& directory,
                                    const NativeOptions& options = {});

/// The same in CUDA C++, for GPUs.
[[nodiscard]] Result<void> emit_cuda(const Program& program, const std::string& directory,
                                     const NativeOptions& options = {});

}  // namespace vecc
