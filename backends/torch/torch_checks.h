// Whether a Program can be compiled with these options.
#pragma once

#include <c10/core/Device.h>

#include "vecc/backend.h"

namespace vecc::libtorch {

/// Errors: BackendUnsupported (an `update` with gradients), MissingValues, ShapeMismatch and Usage
/// (a storage that does not fit).
[[nodiscard]] Result<void> check_torch_program(const Program& program,
                                               const ExecutionOptions& options, at::Device device);

}  // namespace vecc::libtorch
