#include "src/plan/analysis/in_place.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "src/kernel/schedule/entrywise.h"
#include "src/plan/analysis/launch_rows.h"

namespace vecc {
namespace {

// Kernels that became the same are one again.
void merge_kernels(Plan& plan) {
  std::vector<Kernel> kernels;
  std::vector<std::uint32_t> numbers;
  std::unordered_map<std::string, std::uint32_t> by_text;
  for (Kernel& kernel : plan.kernels) {
    const auto [found, is_new] =
        by_text.try_emplace(text_of(kernel), static_cast<std::uint32_t>(kernels.size()));
    if (is_new) kernels.push_back(std::move(kernel));
    numbers.push_back(found->second);
  }
  plan.kernels = std::move(kernels);
  for (Launch& launch : plan.launches) launch.kernel = numbers[launch.kernel];
}

class LenderSearch {
 public:
  explicit LenderSearch(const Plan& plan)
      : plan_(plan),
        by_steps_(written_by_steps(plan)),
        takes_(plan.buffers.size(), kNone),
        lends_(plan.buffers.size(), false) {
    for (const Kernel& kernel : plan.kernels) steps_.push_back(access_steps(kernel));
  }

  std::vector<BufferIndex> search() {
    for (std::uint32_t l = 0; l < plan_.launches.size(); ++l) search_in(l);
    return std::move(takes_);
  }

 private:
  // What a launch stores first takes first, so that three may share one place.
  void search_in(std::uint32_t number) {
    const Launch& launch = plan_.launches[number];
    const Kernel& kernel = plan_.kernels[launch.kernel];
    const std::vector<AccessSteps>& steps = steps_[launch.kernel];
    std::vector<std::pair<std::uint32_t, BufferIndex>> made;
    for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
      const PlanBuffer& buffer = plan_.buffers[launch.accesses[a].buffer];
      if (!kernel.accesses[a].store || buffer.kind != PlanBuffer::Kind::Arena) continue;
      if (buffer.first == number) made.emplace_back(steps[a].first, launch.accesses[a].buffer);
    }
    std::ranges::sort(made);
    for (const auto& [step, buffer] : made) take(number, buffer);
  }

  void take(std::uint32_t number, BufferIndex made) {
    const Launch& launch = plan_.launches[number];
    if (takes_[made] != kNone || by_steps_[made] || plan_.buffers[made].elements == 0) return;
    for (const AccessBinding& access : launch.accesses) {
      const PlanBuffer& old = plan_.buffers[access.buffer];
      if (old.kind != PlanBuffer::Kind::Arena || old.last != number || lends_[access.buffer] ||
          old.elements != plan_.buffers[made].elements ||
          !may_lend_place(plan_.kernels[launch.kernel], steps_[launch.kernel], launch,
                          access.buffer, made)) {
        continue;
      }
      takes_[made] = access.buffer;
      lends_[access.buffer] = true;
      return;
    }
  }

  const Plan& plan_;
  std::vector<bool> by_steps_;                   // by buffer
  std::vector<BufferIndex> takes_;               // by buffer
  std::vector<bool> lends_;                      // by buffer
  std::vector<std::vector<AccessSteps>> steps_;  // by kernel
};

}  // namespace

std::vector<bool> written_by_steps(const Plan& plan) {
  std::vector<bool> written(plan.buffers.size(), false);
  for (const NumberStep& step : plan.number_steps) {
    if (step.to.rows > 0 && step.to.buffer < written.size()) written[step.to.buffer] = true;
  }
  return written;
}

bool may_lend_place(const Kernel& kernel, std::span<const AccessSteps> steps, const Launch& launch,
                    BufferIndex old, BufferIndex made) {
  if (old == made) return false;
  // Entries of a part are others than those of a load beside which they are computed.
  if (std::ranges::any_of(kernel.stores, [&](const KernelStore& store) {
        return stores_part(kernel, store) && launch.accesses[store.access].buffer == made;
      })) {
    return false;
  }
  for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
    if (launch.accesses[a].buffer != old) continue;
    for (std::size_t b = 0; b < launch.accesses.size(); ++b) {
      if (launch.accesses[b].buffer != made) continue;
      if (!reach_same_rows(kernel, launch, a, b) || steps[a].last >= steps[b].first) return false;
    }
  }
  return true;
}

std::vector<BufferIndex> find_lenders(const Plan& plan) {
  return LenderSearch(plan).search();
}

void mark_in_place(Plan& plan, std::span<const BufferIndex> takes) {
  for (std::size_t b = 0; b < takes.size(); ++b) {
    if (takes[b] == kNone) continue;
    Kernel& kernel = plan.kernels[plan.launches[plan.buffers[b].first].kernel];
    kernel.in_place = !kernel.reloads;
  }
  merge_kernels(plan);
}

}  // namespace vecc
