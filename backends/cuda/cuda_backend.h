// Fused kernels on an NVIDIA GPU, compiled in the process.
#pragma once

#include "vecc/backend.h"

namespace vecc {

[[nodiscard]] const Backend& cuda_backend();

}  // namespace vecc
