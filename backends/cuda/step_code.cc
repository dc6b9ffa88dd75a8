#include "backends/cuda/step_code.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "src/kernel/prelude.h"
#include "src/kernel/schedule/choose_loops.h"
#include "src/kernel/schedule/schedule_kernel.h"
#include "src/plan/launch_layout.h"

namespace vecc::cuda {
namespace {

// Of a unit, which takes as long to compile as its kernels together; but a walk needs all of a
// graph's in one.
constexpr std::uint32_t kMostKernels = 64;

// Loops are chosen before there is a graph: by a small one, of which a launch is a block.
constexpr std::uint32_t kTypicalRows = 32;
constexpr std::uint32_t kTypicalMembers = 3;  // of a row

RowSizes typical_sizes(const binding::RecipeBook::KernelFacts& facts) {
  RowSizes sizes;
  sizes.rows = kTypicalRows;
  sizes.classes.resize(1);
  sizes.classes[0].add(facts.has_segments ? kTypicalMembers : 0, kTypicalRows);
  sizes.work = facts.work * std::max<std::uint64_t>(kTypicalRows, sizes.classes[0].members);
  return sizes;
}

StepKernelCode schedule_step(const binding::RecipeBook::KernelFacts& facts, const Target& target) {
  const RowLoops loops = choose_loops(facts.kernel, typical_sizes(facts), target, kCudaThreads);
  StepKernelCode code;
  code.schedule = schedule_kernel(facts.kernel, loops.loops, target);
  code.cycles = loops.cycles.longest;
  VECC_CHECK(code.schedule.members.of_class.size() == 1, "rows of a step of several classes");
  VECC_CHECK(code.schedule.members.threads == kCudaThreads, "blocks of steps of several sizes");
  VECC_CHECK(!code.schedule.uses_tensor_cores(), "steps by tensor cores");
  return code;
}

}  // namespace

Result<StepUnits> print_step_units(const binding::RecipeBook& book, std::size_t first,
                                   const Target& target) {
  StepUnits made;
  for (std::size_t k = first; k < book.kernels().size(); ++k) {
    VECC_TRY_VOID(check_thread_memory(book.kernels()[k].kernel));
    made.kernels.push_back(schedule_step(book.kernels()[k], target));
    made.kernels.back().unit = static_cast<std::uint32_t>((k - first) / kMostKernels);
    made.kernels.back().number = static_cast<std::uint32_t>((k - first) % kMostKernels);
  }
  std::vector<StepKernel> kernels;
  const auto end_unit = [&] {
    made.sizes.push_back(static_cast<std::uint32_t>(kernels.size()));
    made.walk_here.push_back(walks_here(kernels));
    made.texts.push_back(std::string(kernel_prelude()) + std::string(device_prelude()) +
                         print_steps(kernels, book.dtype()));
    kernels.clear();
  };
  for (std::size_t k = 0; k < made.kernels.size(); ++k) {
    kernels.push_back({&book.kernels()[first + k].kernel, &made.kernels[k].schedule});
    if (kernels.size() == kMostKernels) end_unit();
  }
  // A template may have no kernel: its outputs are facts, which are collected.
  if (!kernels.empty() || made.texts.empty()) end_unit();
  return made;
}

Result<void> StepCode::add(const binding::RecipeBook& book) {
  if (!units_.empty() && kernels_.size() == book.kernels().size()) return {};
  VECC_TRY(StepUnits made, print_step_units(book, kernels_.size(), device_->target()));
  DeviceCodeOptions options;
  options.warn = native::warn_uncached;
  const auto before = static_cast<std::uint32_t>(units_.size());
  for (std::size_t u = 0; u < made.texts.size(); ++u) {
    DeviceCodeCounts counts;
    VECC_TRY(const auto modules,
             load_device_code(device_, std::span(&made.texts[u], 1), options, &counts));
    units_.push_back({modules[0], modules[0]->function("vecc_walk_steps"),
                      made.walk_here[u] ? modules[0]->function("vecc_walk_here") : nullptr,
                      modules[0]->function("vecc_run_steps"), made.sizes[u]});
    if (counts.compiled > 0) compiled_ += made.sizes[u];
  }
  for (StepKernelCode& kernel : made.kernels) {
    kernel.unit += before;
    kernels_.push_back(std::move(kernel));
  }
  return {};
}

}  // namespace vecc::cuda
