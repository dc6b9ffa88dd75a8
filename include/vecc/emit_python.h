// A Program as a folder that Python runs without vecc: a torch.nn.Module in readable source, its
// weights and its constants (docs/python.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vecc/emitted_sample.h"
#include "vecc/error.h"
#include "vecc/loss.h"
#include "vecc/program.h"
#include "vecc/weights.h"

namespace vecc {

/// What the module's loss() compares outputs with. The samples' weights are not divided by their
/// number: loss() does that.
struct PythonLoss {
  Loss loss = Loss::SquaredDiff;  ///< if none is named
  LossSamples samples;
  double margin = 1;  ///< MarginRanking
  /// Of the Program: a loss of logits is written for these.
  OutputFunction outputs = OutputFunction::Raw;
};

struct PythonOptions {
  /// All weight tables (weights_of()). None: the Program's own parameters, and their values.
  std::optional<WeightFile> weights;
  std::vector<EmittedSample> samples;  ///< empty: numbers, no targets
  std::optional<PythonLoss> loss;      ///< none: the module has no loss
};

/// Everything in the Program that no module can hold: ops of a backward pass or of a training step
/// (torch has its own). Empty if there is nothing.
[[nodiscard]] std::vector<std::string> unsupported_in_python(const Program& program);

/// Writes model.py, weights.safetensors, data.safetensors and README.md into `directory`, which
/// must be new or empty: all of them or none. Its size is linear in the Program's. Errors:
/// BackendUnsupported for everything that cannot be emitted, MissingValues for each parameter
/// without values, CannotWrite, UnreadWeights (a name that safetensors cannot hold).
[[nodiscard]] Result<void> emit_python(const Program& program, const std::string& directory,
                                       const PythonOptions& options = {});

}  // namespace vecc
