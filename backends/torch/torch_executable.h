// A Program compiled for libtorch, and what libtorch says about the machine; without libtorch's
// headers.
#pragma once

#include <cstdint>
#include <memory>

#include "vecc/backend.h"

namespace vecc::libtorch {

/// GPUs that libtorch sees.
[[nodiscard]] std::uint32_t count_torch_gpus();

/// The program is one that the backend supports, the device is there. Errors: OutOfMemory,
/// DeviceFailure.
[[nodiscard]] Result<std::unique_ptr<Executable>> make_torch_executable(
    const Program& program, const ExecutionOptions& options);

}  // namespace vecc::libtorch
