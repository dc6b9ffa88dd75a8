#include "src/kernel/access_steps.h"

#include <algorithm>

namespace vecc {
namespace {

void note_step(AccessSteps& steps, std::uint32_t number) {
  steps.first = std::min(steps.first, number);
  steps.last = std::max(steps.last, number);
}

}  // namespace

std::vector<AccessSteps> access_steps(const Kernel& kernel) {
  std::vector<AccessSteps> steps(kernel.accesses.size());
  const auto note_use = [&](std::uint32_t value, std::uint32_t number) {
    const KernelNode& node = kernel.nodes[value];
    if (node.kind == KernelNode::Kind::Load) note_step(steps[node.access], number);
  };
  std::uint32_t number = 0;
  for (const KernelPhase& phase : kernel.phases) {
    const auto end = number + static_cast<std::uint32_t>(phase.steps.size());
    for (const KernelStep& step : phase.steps) {
      if (step.store) {
        const KernelStore& store = kernel.stores[step.number];
        note_step(steps[store.access], number);
        note_use(store.value, number);
      } else {
        const KernelNode& node = kernel.nodes[step.number];
        note_use(step.number, number);
        // A threshold goes through the members itself, when their loop has ended.
        const bool is_late = node.kind == KernelNode::Kind::Threshold;
        for (const std::uint32_t operand : node.operands) {
          note_use(operand, is_late ? end - 1 : number);
        }
      }
      ++number;
    }
  }
  return steps;
}

}  // namespace vecc
