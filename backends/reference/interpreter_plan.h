// What the interpreter knows about a Program before it runs: where values lie and how long.
#pragma once

#include <vector>

#include "backends/reference/value_storage.h"
#include "vecc/backend.h"

namespace vecc::reference {

struct InterpreterPlan {
  std::vector<Place> places;  ///< by value
  /// By value: it is computed from a parameter, so that its gradient is wanted.
  std::vector<bool> wanted;
  /// By op: the buffers that are not read after it, forwards.
  std::vector<std::vector<ValueId>> released;
};

/// Facts and the values of outputs and updates are never released; nothing is if
/// ExecutionOptions::keep_values; with `gradients`, nothing that a backward step reads.
[[nodiscard]] InterpreterPlan plan_interpreter(const Program& program,
                                               const ExecutionOptions& options);

}  // namespace vecc::reference
