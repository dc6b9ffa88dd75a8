#include "backends/cuda/device_unit.h"

#include "src/kernel/prelude.h"
#include "src/kernel/print_cuda.h"

namespace vecc::cuda {

std::string unit_text(const Kernel& kernel, std::uint32_t slots) {
  return std::string(kernel_prelude()) + std::string(device_prelude()) + print_cuda(kernel, slots);
}

}  // namespace vecc::cuda
