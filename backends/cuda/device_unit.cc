#include "backends/cuda/device_unit.h"

#include "src/kernel/matrix_units.h"
#include "src/kernel/prelude.h"

namespace vecc::cuda {
namespace {

std::string preludes(const Kernel& kernel) {
  std::string text = std::string(kernel_prelude()) + std::string(device_prelude());
  if (uses_matrix_units(kernel)) text += unit_prelude();
  return text;
}

}  // namespace

std::string unit_text(const Kernel& kernel, const MemberLoops& loops, CudaUnit unit,
                      const Target& target, const ProgrammaticLaunch& programmatic) {
  std::string text;
  if (loops.threads != kCudaThreads) {
    text += "#define VECC_THREADS " + std::to_string(loops.threads) + "\n";
  }
  if (programmatic.waits_last) text += "#define VECC_WAITS_LAST 1\n";
  if (programmatic.releases_last) text += "#define VECC_RELEASES_LAST 1\n";
  return text + preludes(kernel) + print_cuda(kernel, loops, unit, target);
}

}  // namespace vecc::cuda
