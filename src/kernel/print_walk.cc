#include "src/kernel/print_walk.h"

#include <fmt/format.h>

#include "src/kernel/prelude.h"

namespace vecc {
namespace {

std::string series_text(DType dtype, std::uint32_t threads) {
  return fmt::format(
             "namespace vecc_kernel {{\nconstexpr unsigned kThreads = {};\nusing Number = {};\n"
             "}}\n",
             threads, dtype == DType::F32 ? "float" : "double") +
         std::string(series_prelude());
}

std::string walk_kernel(const char* name, const char* blocks) {
  return fmt::format(
      "extern \"C\" __global__ void __launch_bounds__(vecc_kernel::kThreads) vecc_walk_{}(const "
      "__grid_constant__ vecc_kernel::Bound a, const vecc_kernel::Item* items) {{\n"
      "  vecc_kernel::walk<vecc_kernel::{}>(a, items);\n}}\n",
      name, blocks);
}

}  // namespace

std::string print_walk(std::span<const std::string> steps, DType dtype, std::uint32_t step_bytes) {
  std::string text = series_text(dtype, kStepThreads);
  text += fmt::format("namespace vecc_kernel {{\nconstexpr unsigned kStepBytes = {};\n}}\n",
                      step_bytes);
  text += walk_prelude();
  std::string cases;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    text += fmt::format(
        "extern \"C\" __device__ void {}(const void*, unsigned, unsigned, unsigned, unsigned);\n",
        steps[s]);
    cases +=
        fmt::format("    case {}: return {}(arguments, begin, end, type, turn);\n", s, steps[s]);
  }
  text +=
      "static __device__ __forceinline__ void vecc_kernel::run_step(unsigned step, const void* "
      "arguments, unsigned begin, unsigned end, unsigned type, unsigned turn) {\n  switch (step) "
      "{\n" +
      cases + "  }\n}\n";
  return text + walk_kernel("block", "OneBlock") + walk_kernel("cluster", "Cluster") +
         walk_kernel("grid", "Grid");
}

std::string print_end_run(DType dtype) {
  return series_text(dtype, kCudaThreads) +
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
