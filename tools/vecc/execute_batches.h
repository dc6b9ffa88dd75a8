// The forward pass of --eval-batch-size: some samples at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "execute.h"
#include "options.h"
#include "tools/common/memory_statement.h"
#include "tools/common/stages.h"
#include "vecc/batch.h"

namespace vecc::tools {

/// What does not fit beside --eval-batch-size; empty if all is well.
[[nodiscard]] std::string check_eval_batches(const Options& options);

/// `outputs of 32 samples at a time: 45.2 KB of values and 12.1 KB of index arrays; 4 MB there`, to
/// stderr, unless --quiet. `what`: they; `there`: bytes that the backend holds.
void say_eval_batches(std::string_view what, const BatchBytes& bytes, std::uint64_t there,
                      const Options& options);

/// Compiles and runs `options.repeat` times: stages `compile` and `run`; fills the device, the
/// outputs and the times. Says what the first batch takes, before it runs. `memory`: what
/// execution.check_plan makes. Errors: those of ForwardBatches.
[[nodiscard]] Result<void> execute_batches(const Program& program, const Backend& backend,
                                           const ExecutionOptions& execution,
                                           const Options& options, const MemoryStatement& memory,
                                           Stages& stages, Execution& to);

}  // namespace vecc::tools
