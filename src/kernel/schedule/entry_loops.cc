#include "src/kernel/schedule/entry_loops.h"

#include <algorithm>

#include "src/kernel/schedule/entrywise.h"
#include "src/kernel/schedule/lanes.h"

namespace vecc {
namespace {

using Kind = KernelNode::Kind;

constexpr std::uint64_t kMostHeld = 8;  // numbers that a lane loads or stores at once

class EntryLoops {
 public:
  explicit EntryLoops(const Kernel& kernel)
      : kernel_(kernel), loops_(kernel.nodes.size(), 0), in_array_(kernel.nodes.size(), false) {
    number_loops();
    for (const KernelPhase& phase : kernel.phases) find_arrays(phase);
  }

  [[nodiscard]] std::vector<std::uint32_t> arrays() const {
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t n = 0; n < in_array_.size(); ++n) {
      const bool has_own = size(n) > 1 && kernel_.nodes[n].kind != Kind::Load;
      if (in_array_[n] && has_own) nodes.push_back(n);
    }
    return nodes;
  }

 private:
  [[nodiscard]] std::uint64_t size(std::uint32_t node) const {
    return kernel_.nodes[node].shape.size();
  }

  // A loop goes on while steps compute rows of its length entry by entry; scalars in between are
  // computed before it.
  void number_loops() {
    std::uint32_t last = 0;
    for (const KernelPhase& phase : kernel_.phases) {
      std::uint64_t open = 0;
      std::uint32_t loop = ++last;
      for (const KernelStep& step : phase.steps) {
        const std::uint32_t number = step.store ? kernel_.stores[step.number].value : step.number;
        const std::uint64_t entries = size(number);
        const bool entrywise = step.store || is_entrywise(kernel_, kernel_.nodes[number]);
        if ((entries == 1 && entrywise) || is_load(kernel_, step)) continue;
        if (!entrywise || open != entries) loop = ++last;
        open = entrywise ? entries : 0;
        if (!step.store) loops_[number] = loop;
      }
    }
  }

  void find_arrays(const KernelPhase& phase) {
    std::uint64_t open = 0;
    std::uint32_t loop = 0;
    for (const KernelStep& step : phase.steps) {
      const std::uint32_t number = step.store ? kernel_.stores[step.number].value : step.number;
      const std::uint64_t entries = size(number);
      if (step.store) {
        // In the same loop if that is still open where the store stands.
        if (entries == 1) continue;
        if (open != entries) loop = 0;
        open = entries;
        read(number, loop, true);
        continue;
      }
      const KernelNode& node = kernel_.nodes[number];
      const bool entrywise = is_entrywise(kernel_, node);
      for (const std::uint32_t operand : node.operands) {
        if (entries == 1 && entrywise && size(operand) == 1) continue;
        read(operand, loops_[number], entrywise);
      }
      if ((entries == 1 && entrywise) || node.kind == Kind::Load) continue;
      loop = loops_[number];
      open = entrywise ? entries : 0;
    }
  }

  void read(std::uint32_t operand, std::uint32_t loop, bool entrywise) {
    if (!entrywise || loops_[operand] != loop) in_array_[operand] = true;
  }

  const Kernel& kernel_;
  std::vector<std::uint32_t> loops_;  // by node; numbered through the kernel
  std::vector<bool> in_array_;
};

}  // namespace

std::vector<std::uint32_t> nodes_in_arrays(const Kernel& kernel) {
  return EntryLoops(kernel).arrays();
}

namespace {

// What lanes move at once of all parts of an access' rows; 1 if one of them does not allow it.
std::uint32_t part_pack(const Kernel& kernel, std::uint32_t access, std::uint32_t lanes) {
  std::uint64_t least = pack_size(kernel.accesses[access].shape);
  for (const KernelStore& store : kernel.stores) {
    if (store.access != access) continue;
    const std::uint64_t entries = kernel.nodes[store.value].shape.size();
    const std::uint64_t pack = lane_pack(entries, lanes);
    const bool fits = kernel.accesses[access].aligned && store.first % pack == 0 && pack <= least &&
                      lane_entries(entries, lanes) <= kMostHeld;
    if (entries > 1 && (!fits || pack == 1)) return 1;
    if (entries > 1) least = std::min(least, pack);
  }
  return static_cast<std::uint32_t>(least);
}

}  // namespace

std::vector<std::uint32_t> packs_of(const Kernel& kernel, std::uint32_t lanes) {
  std::vector<std::uint32_t> packs(kernel.accesses.size(), 1);
  for (std::size_t a = 0; lanes > 0 && a < packs.size(); ++a) {
    const KernelAccess& access = kernel.accesses[a];
    const std::uint64_t entries = access.shape.size();
    if (!access.aligned || lane_entries(entries, lanes) > kMostHeld) continue;
    packs[a] = static_cast<std::uint32_t>(lane_pack(entries, lanes));
  }
  for (const KernelStore& store : kernel.stores) {
    if (lanes == 0 || !stores_part(kernel, store)) continue;
    packs[store.access] = part_pack(kernel, store.access, lanes);
  }
  // A lane's entries of a slice or a transpose are other lanes' of the row.
  for (const KernelNode& node : kernel.nodes) {
    if (const KernelNode* load = moved_load(kernel, node)) packs[load->access] = 1;
  }
  return packs;
}

std::vector<std::uint32_t> early_loads(const Kernel& kernel, const KernelSchedule& schedule) {
  constexpr std::uint64_t kMost = 4;  // numbers of a lane, which stay in registers
  std::vector<std::uint32_t> loads;
  if (!schedule.on_gpu() || stores_alias_loads(kernel)) return loads;
  const auto members = std::ranges::find(kernel.phases, KernelSpace::Member, &KernelPhase::space);
  std::uint64_t numbers = 0;
  for (auto phase = members; phase != kernel.phases.end(); ++phase) {
    if (phase->space != KernelSpace::Row) continue;
    for (const KernelStep& step : phase->steps) {
      if (!is_load(kernel, step)) continue;
      const KernelNode& load = kernel.nodes[step.number];
      const std::uint64_t entries = load.shape.size();
      const bool is_held = entries == 1 || schedule.packs[load.access] > 1;  // else a pointer
      if (is_held) numbers += lane_entries(entries, schedule.row_lanes());
      if (numbers > kMost) return loads;
      loads.push_back(step.number);
    }
  }
  return loads;
}

}  // namespace vecc
