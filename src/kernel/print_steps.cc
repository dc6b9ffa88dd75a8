#include "src/kernel/print_steps.h"

#include <fmt/format.h>

#include "src/kernel/print/variables.h"
#include "src/kernel/print_cuda.h"

namespace vecc {
namespace {

constexpr std::string_view kStructs =
    "namespace vecc_kernel {\n"
    "struct Step {\n  const void* bound;\n  unsigned kernel;\n  unsigned begin;\n  unsigned end;\n"
    "  unsigned type;\n  unsigned waits;\n  unsigned unused;\n};\n"
    "struct Walk {\n  const Packed<unsigned, 4>* from;\n  Packed<unsigned, 4>* to;\n"
    "  unsigned packs;\n  unsigned steps;\n};\n";

// Numbers of the outputs, which lie scattered, side by side.
std::string collect_text(DType dtype) {
  return fmt::format(
      "struct Collect {{\n  const {0}* from;\n  const unsigned* index;\n  {0}* to;\n}};\n"
      "static __device__ __forceinline__ void collect(const Collect* a, unsigned begin, unsigned "
      "end) {{\n"
      "  for (unsigned i = begin + threadIdx.x; i < end; i += kThreads) {{\n"
      "    a->to[i] = a->from[a->index[i]];\n  }}\n"
      "}}\n",
      type_text(dtype));
}

// The one block copies what its steps read: one launch is all that a small graph takes.
constexpr std::string_view kKernels =
    "extern \"C\" __global__ void __launch_bounds__(vecc_kernel::kThreads) vecc_walk_steps(const "
    "__grid_constant__ vecc_kernel::Walk a, const vecc_kernel::Step* steps) {\n"
    "  _Pragma(\"unroll 4\")\n"
    "  for (unsigned i = threadIdx.x; i < a.packs; i += vecc_kernel::kThreads) a.to[i] = "
    "a.from[i];\n"
    "  __syncthreads();\n"
    "  for (unsigned s = 0; s < a.steps; ++s) {\n"
    "    if (steps[s].waits) __syncthreads();\n"
    "    vecc_kernel::run_step(steps + s);\n"
    "  }\n"
    "}\n"
    "extern \"C\" __global__ void __launch_bounds__(vecc_kernel::kThreads) vecc_run_steps(const "
    "__grid_constant__ vecc_kernel::Walk a, const vecc_kernel::Step* steps) {\n"
    "  vecc_kernel::run_step(steps + blockIdx.x);\n"
    "}\n";

}  // namespace

std::string print_steps(std::span<const StepKernel> kernels, DType dtype) {
  std::string text;
  std::string cases;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const std::string name = fmt::format("step_{}", k);
    const KernelSchedule& schedule = *kernels[k].schedule;
    text += print_cuda(*kernels[k].kernel, schedule, CudaUnit::Step, name);
    const MemberLoop& loop = schedule.members.of_class.front();
    cases += fmt::format(
        "    case {1}:\n      {0}::{0}_rows<unsigned, {2}, {3}>(static_cast<const "
        "{0}::Bound*>(at->bound), at->begin, at->end, at->type);\n      break;\n",
        name, k, loop.slots, loop.batch);
  }
  return text + std::string(kStructs) + collect_text(dtype) +
         "static __device__ __noinline__ void run_step(const Step* at) {\n"
         "  switch (at->kernel) {\n" +
         cases +
         "    default: collect(static_cast<const Collect*>(at->bound), at->begin, at->end);\n"
         "  }\n}\n}  // namespace vecc_kernel\n" +
         std::string(kKernels);
}

}  // namespace vecc
