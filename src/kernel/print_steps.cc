#include "src/kernel/print_steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/kernel/print/variables.h"
#include "src/kernel/print_cuda.h"

namespace vecc {
namespace {

constexpr std::string_view kStructs =
    "namespace vecc_kernel {\n"
    "struct Step {\n  const void* bound;\n  unsigned kernel;\n  unsigned begin;\n  unsigned end;\n"
    "  unsigned type;\n  unsigned waits;\n  unsigned unused;\n};\n"
    "struct Walk {\n  const Packed<unsigned, 4>* from;\n  Packed<unsigned, 4>* to;\n"
    "  unsigned packs;\n  unsigned steps;\n  unsigned first_step;\n  unsigned places;\n"
    "  unsigned place_count;\n  unsigned unused;\n};\n";

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

// All steps by one block, which copies what they read: one launch is all that a small graph takes.
constexpr std::string_view kWalk =
    "namespace vecc_kernel {\n"
    "static __device__ __forceinline__ void copy_image(const Walk& a, Packed<unsigned, 4>* "
    "__restrict__ to) {\n"
    "  const Packed<unsigned, 4>* __restrict__ from = a.from;\n"  // several loads in flight
    "  _Pragma(\"unroll 4\")\n"
    "  for (unsigned i = threadIdx.x; i < a.packs; i += kThreads) to[i] = from[i];\n"
    "  __syncthreads();\n"
    "}\n"
    "static __device__ __forceinline__ void walk(const Step* steps, unsigned count) {\n"
    "  for (unsigned s = 0; s < count; ++s) {\n"
    "    if (steps[s].waits) __syncthreads();\n"
    "    run_step(steps + s);\n"
    "  }\n"
    "}\n}  // namespace vecc_kernel\n"
    "extern \"C\" __global__ void __launch_bounds__(vecc_kernel::kThreads) vecc_walk_steps(const "
    "__grid_constant__ vecc_kernel::Walk a, const vecc_kernel::Step* steps) {\n"
    "  vecc_kernel::copy_image(a, a.to);\n"
    "  vecc_kernel::walk(steps, a.steps);\n"
    "}\n"
    "extern \"C\" __global__ void __launch_bounds__(vecc_kernel::kThreads) vecc_run_steps(const "
    "__grid_constant__ vecc_kernel::Walk a, const vecc_kernel::Step* steps) {\n"
    "  vecc_kernel::run_step(steps + blockIdx.x);\n"
    "}\n";

std::string walk_here_text() {
  return fmt::format(
      "extern \"C\" __global__ void __launch_bounds__(vecc_kernel::kThreads) vecc_walk_here(const "
      "__grid_constant__ vecc_kernel::Walk a, const vecc_kernel::Step*) {{\n"
      "  __shared__ __align__(16) unsigned char image[{}];\n"
      "  vecc_kernel::copy_image(a, reinterpret_cast<vecc_kernel::Packed<unsigned, 4>*>(image));\n"
      "  const unsigned* places = reinterpret_cast<const unsigned*>(image + a.places);\n"
      "  for (unsigned i = threadIdx.x; i < a.place_count; i += vecc_kernel::kThreads) {{\n"
      "    unsigned char** pointer = reinterpret_cast<unsigned char**>(image + places[i]);\n"
      "    *pointer = image + reinterpret_cast<unsigned long long>(*pointer);\n"
      "  }}\n"
      "  __syncthreads();\n"
      "  vecc_kernel::walk(reinterpret_cast<const vecc_kernel::Step*>(image + a.first_step), "
      "a.steps);\n"
      "}}\n",
      kImageHere);
}

}  // namespace

bool walks_here(std::span<const StepKernel> kernels) {
  return std::ranges::all_of(kernels, [](const StepKernel& each) {
    const KernelSchedule& schedule = *each.schedule;
    const bool is_plain = std::ranges::all_of(schedule.phases, [](const PhaseSchedule& phase) {
      return phase.loop == PhaseLoop::Steps || phase.loop == PhaseLoop::Batches ||
             phase.loop == PhaseLoop::NoLoop;
    });
    // Where more than a warp shares a row its sums are joined in the block's memory.
    const std::uint32_t threads = schedule.lanes() * schedule.members.of_class.front().slots;
    return is_plain && !schedule.product && schedule.shared_bytes == 0 && threads <= kWarpThreads &&
           (schedule.loop == RowLoop::Rows || schedule.loop == RowLoop::Numbers);
  });
}

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
         std::string(kWalk) + (walks_here(kernels) ? walk_here_text() : "");
}

}  // namespace vecc
