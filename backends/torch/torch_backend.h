// The torch backend: runs a Program by libtorch calls, on CPU and CUDA.
#pragma once

#include "vecc/backend.h"

namespace vecc::libtorch {

/// `torch`; built without libtorch (VECC_TORCH=OFF) it is never available and says so.
[[nodiscard]] const Backend& torch_backend();

}  // namespace vecc::libtorch
