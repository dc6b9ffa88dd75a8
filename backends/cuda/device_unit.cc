#include "backends/cuda/device_unit.h"

#include "src/kernel/prelude.h"

namespace vecc::cuda {

std::string unit_text(const Kernel& kernel, const KernelSchedule& schedule, CudaUnit unit,
                      const ProgrammaticLaunch& programmatic, CudaLists lists) {
  std::string text;
  if (schedule.members.threads != kCudaThreads) {
    text += "#define VECC_THREADS " + std::to_string(schedule.members.threads) + "\n";
  }
  if (programmatic.waits_last) text += "#define VECC_WAITS_LAST 1\n";
  if (programmatic.releases_last) text += "#define VECC_RELEASES_LAST 1\n";
  text += std::string(kernel_prelude()) + std::string(device_prelude());
  text += tensor_prelude(kernel.precision);
  if (unit == CudaUnit::Batch) text += batch_prelude();
  return text + print_cuda(kernel, schedule, unit, "vecc_kernel", lists);
}

}  // namespace vecc::cuda
