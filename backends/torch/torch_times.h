// By what the ways of libtorch are chosen on a device.
#pragma once

#include "vecc/target.h"

namespace vecc::libtorch {

/// Those of the processor or, on whatever GPU, of the default one: how libtorch's kernels are built
/// counts more than the GPU.
[[nodiscard]] inline TorchTimes torch_times(bool cuda) {
  return cuda ? default_gpu().torch : TorchTimes();
}

}  // namespace vecc::libtorch
