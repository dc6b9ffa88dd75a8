#include "src/kernel/print_end_run.h"

#include <fmt/format.h>

#include "src/kernel/prelude.h"
#include "src/kernel/print_cuda.h"

namespace vecc {

std::string print_end_run(DType dtype) {
  return fmt::format(
             "namespace vecc_kernel {{\nconstexpr unsigned kThreads = {};\nusing Number = {};\n"
             "}}\n",
             kCudaThreads, dtype == DType::F32 ? "float" : "double") +
         std::string(series_prelude()) +
         "namespace vecc_kernel {\nstruct Bound {\n  const Series* series;\n};\n}\n"
         "extern \"C\" __global__ void vecc_end_run(const __grid_constant__ vecc_kernel::Bound a, "
         "unsigned* run) {\n"
         "#if __CUDA_ARCH__ >= 900\n"
         "  asm volatile(\"griddepcontrol.wait;\" ::: \"memory\");\n"
         "#endif\n"
         "  const unsigned now = *run;\n"
         "  __syncthreads();\n"
         "  vecc_kernel::end_run(*a.series, now);\n"
         "  if (threadIdx.x == 0) *run = now + 1;\n}\n";
}

}  // namespace vecc
