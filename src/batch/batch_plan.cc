#include "src/batch/batch_plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "src/batch/batch_arrays.h"
#include "src/batch/batch_loops.h"
#include "src/batch/batch_updates.h"
#include "src/batch/loosen_launch.h"
#include "src/batch/zero_buffers.h"
#include "src/batch/zero_nodes.h"
#include "src/plan/analysis/narrow_arrays.h"

namespace vecc {
namespace {

std::vector<std::vector<BufferIndex>> buffers_of_weights(
    const Plan& plan, const std::vector<ParameterIndex>& weights) {
  std::vector<std::vector<BufferIndex>> buffers(weights.size());
  for (BufferIndex b = 0; b < plan.buffers.size(); ++b) {
    if (plan.buffers[b].kind != PlanBuffer::Kind::Parameter) continue;
    for (std::size_t w = 0; w < weights.size(); ++w) {
      if (plan.buffers[b].source == weights[w]) buffers[w].push_back(b);
    }
  }
  return buffers;
}

// By buffer: of the arena, and a launch stores into it.
std::vector<bool> made_buffers(const Plan& plan) {
  std::vector<bool> made(plan.buffers.size(), false);
  for (const Launch& launch : plan.launches) {
    const Kernel& kernel = plan.kernels[launch.kernel];
    for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
      const BufferIndex buffer = launch.accesses[a].buffer;
      if (kernel.accesses[a].store && plan.buffers[buffer].kind == PlanBuffer::Kind::Arena) {
        made[buffer] = true;
      }
    }
  }
  return made;
}

// As the Plan has it, before rows and members may be numbered anew.
BatchLaunch describe(const BatchPlan& of, const Launch& launch) {
  const Kernel& kernel = of.plan.kernels[launch.kernel];
  BatchLaunch described;
  described.segments = kernel.segments;
  described.rows = launch.rows;
  described.work = launch.work;
  for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
    const AccessBinding& binding = launch.accesses[a];
    const KernelAccess& access = kernel.accesses[a];
    BatchAccess to;
    to.space = access.space;
    to.map = access.map;
    to.buffer = binding.buffer;
    to.store = access.store;
    to.is_zero = !access.store && of.zero_buffers[binding.buffer];
    to.is_made = !access.store && of.made_buffers[binding.buffer];
    to.rows = binding.rows;
    described.accesses.push_back(to);
  }
  return described;
}

// What a launch drops is found by the members' own loads: no other load stands for them.
void let_members_tell(LaunchZeros& zeros, const Kernel& kernel) {
  for (std::size_t a = 0; a < zeros.loads.size(); ++a) {
    if (is_by_member(kernel.accesses[a])) continue;
    zeros.given[a] = false;
    zeros.own[a] = false;
  }
}

// The members' loads at rest that some of a launch's stores depend on which are not: without the
// members that these are not 0 for it would store something else.
std::vector<std::uint32_t> members_of_others(const BatchPlan& of, const Launch& launch,
                                             const LaunchZeros& zeros) {
  const Kernel& kernel = of.plan.kernels[launch.kernel];
  std::vector<bool> is_read(kernel.nodes.size(), false);
  for (const KernelStore& store : kernel.stores) {
    if (!of.zero_buffers[launch.accesses[store.access].buffer]) is_read[store.value] = true;
  }
  std::vector<std::uint32_t> loads;
  for (std::size_t n = kernel.nodes.size(); n-- > 0;) {
    if (!is_read[n]) continue;
    const KernelNode& node = kernel.nodes[n];
    for (const std::uint32_t operand : node.operands) is_read[operand] = true;
    const bool is_load = node.kind == KernelNode::Kind::Load && zeros.loads[node.access];
    if (is_load && is_by_member(kernel.accesses[node.access])) loads.push_back(node.access);
  }
  return loads;
}

std::vector<BatchSources> sources_of(const BatchPlan& of, const Launch& launch,
                                     const LaunchZeros& zeros) {
  const Kernel& kernel = of.plan.kernels[launch.kernel];
  std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>> stores;  // by their loads
  std::vector<std::uint32_t> others;
  for (std::uint32_t a = 0; a < zeros.loads.size(); ++a) {
    if (zeros.loads[a]) others.push_back(a);
  }
  for (const KernelStore& store : kernel.stores) {
    if (!of.zero_buffers[launch.accesses[store.access].buffer]) continue;
    std::vector<std::uint32_t> loads = zero_sources(kernel, zeros, store.value);
    for (const std::uint32_t load : all_zero_sources(kernel, zeros, store.value)) {
      std::erase(others, load);
    }
    if (!loads.empty()) stores[std::move(loads)].push_back(store.access);
  }
  for (const std::uint32_t load : members_of_others(of, launch, zeros)) {
    if (std::ranges::find(others, load) == others.end()) others.push_back(load);
  }
  std::vector<BatchSources> sources;
  for (auto& [loads, stored] : stores) sources.push_back({loads, std::move(stored)});
  if (!others.empty()) sources.push_back({std::move(others), {}});
  return sources;
}

// Whether a launch that keeps all members selects among some that a batch does not draw. It reads
// them, and what they are computed from has no members then: 0 times what is no number.
bool selects_resting_members(const Kernel& kernel, const LaunchZeros& zeros) {
  return std::ranges::any_of(kernel.nodes, [&](const KernelNode& node) {
    const bool reduces = node.kind == KernelNode::Kind::Reduce ||
                         node.kind == KernelNode::Kind::ReduceArg ||
                         node.kind == KernelNode::Kind::Threshold;
    return reduces && std::ranges::any_of(node.operands, [&](std::uint32_t operand) {
             const Rest rest = zeros.nodes[operand];
             return rest == Rest::Lowest || rest == Rest::Highest;
           });
  });
}

void find_units(BatchPlan& of) {
  std::vector<std::uint64_t>& units = of.units;
  units.assign(of.plan.buffers.size(), 0);
  const auto for_each_access = [&](auto&& visit) {
    for (std::size_t l = 0; l < of.plan.launches.size(); ++l) {
      const Launch& launch = of.plan.launches[l];
      const Kernel& kernel = of.plan.kernels[launch.kernel];
      for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
        visit(launch.accesses[a], kernel.accesses[a].shape.size(), of.launches[l].accesses[a]);
      }
    }
  };
  for_each_access([&](const AccessBinding& binding, std::uint64_t size, BatchAccess&) {
    std::uint64_t& unit = units[binding.buffer];
    unit = std::gcd(std::gcd(unit, size), binding.first);
  });
  for (const BatchOutput& output : of.outputs) {
    std::uint64_t& unit = units[output.buffer];
    unit = std::gcd(std::gcd(unit, output.shape.size()), output.first);
  }
  for_each_access([&](const AccessBinding& binding, std::uint64_t size, BatchAccess& access) {
    access.first = binding.first / units[binding.buffer];
    access.size = size / units[binding.buffer];
  });
  for (std::size_t b = 0; b < units.size(); ++b) {
    units[b] = std::max<std::uint64_t>(units[b], 1);
    of.unit_counts.push_back(of.plan.buffers[b].elements / units[b]);
  }
}

// Units of a buffer that stay together, so that the numbers of all accesses' rows divide by their
// sizes: the least common multiple of these; all, where entries of 16 bits might not do.
void find_blocks(BatchPlan& of) {
  of.blocks.assign(of.units.size(), 1);
  const bool runs_several = of.plan.target.multiprocessors > 0;
  for (const PlanBuffer& buffer : of.plan.buffers) {
    of.lives.emplace_back(runs_several ? 0 : buffer.first, runs_several ? kNone : buffer.last);
  }
  const auto for_each_access = [&](auto&& visit) {
    for (const BatchLaunch& launch : of.launches) {
      for (const BatchAccess& access : launch.accesses) {
        if (of.made_buffers[access.buffer]) visit(launch, access, of.blocks[access.buffer]);
      }
    }
  };
  for_each_access([&](const BatchLaunch&, const BatchAccess& access, std::uint64_t& block) {
    if (block < of.unit_counts[access.buffer]) block = std::lcm(block, access.size);
  });
  for_each_access([&](const BatchLaunch& launch, const BatchAccess& access, std::uint64_t& block) {
    constexpr std::uint64_t kMostEntry = 65'535;
    const bool is_shifted = access.first % block != access.first % access.size;
    const bool may_not_fit =
        launch.is_narrow && is_shifted && access.rows + block / access.size > kMostEntry;
    if (may_not_fit || block > of.unit_counts[access.buffer]) {
      block = of.unit_counts[access.buffer];
    }
  });
}

}  // namespace

std::uint64_t bytes_of(const BatchPlan& plan) {
  std::map<const void*, std::uint64_t> arrays;
  for (const BatchLaunch& launch : plan.launches) {
    for (const auto* array : {&launch.offsets, &launch.owners, &launch.types}) {
      if (*array) arrays[array->get()] = (*array)->size();
    }
    for (const BatchAccess& access : launch.accesses) {
      if (access.list) arrays[access.list.get()] = access.list->size();
      if (!access.readers) continue;
      arrays[access.readers.get()] =
          access.readers->offsets.size() + access.readers->readers.size();
    }
  }
  std::map<const void*, std::uint64_t> member_rows;
  for (const BatchLaunch& launch : plan.launches) {
    if (launch.member_rows) member_rows[launch.member_rows.get()] = launch.member_rows->bytes();
  }
  std::uint64_t entries = 0;
  for (const auto& [array, size] : arrays) entries += size;
  std::uint64_t bytes = entries * sizeof(std::uint32_t);
  for (const auto& [rows, size] : member_rows) bytes += size;
  return bytes + plan.outputs.size() * sizeof(BatchOutput);
}

Result<void> check_compact(const Plan& plan, const BatchOptions& options) {
  const auto error = [](std::string message) {
    return Errors(ErrorCode::Usage, "--batch-values=compact", std::move(message));
  };
  if (options.computes_outputs) return error("outputs of forward batches stay at their places");
  const auto has_words = [](const Kernel& kernel) { return kernel.word_slots > 0; };
  if (std::ranges::any_of(plan.kernels, has_words)) {
    return error("the program has functions that differ from row to row");
  }
  return {};
}

Result<BatchPlan> make_batch_plan(Plan plan, const Program& program, const BatchOptions& options,
                                  bool compact) {
  BatchPlan result;
  result.is_compact = compact;
  result.plan = std::move(plan);
  result.lists_touched = options.lists_touched;
  result.mixes_samples = options.mixes_samples;
  if (options.computes_outputs) result.outputs = find_outputs(result.plan, program);
  result.weights = buffers_of_weights(result.plan, options.weights);
  result.made_buffers = made_buffers(result.plan);
  const ZeroBuffers zero_buffers(result.plan, options.weights, options.computes_outputs);
  for (const Rest rest : zero_buffers.rests()) {
    result.zero_buffers.push_back(rest != Rest::None);
    result.rests.push_back(value_of(rest));
  }
  BatchUpdates updates(result.plan, program, options);
  BatchArrays arrays(result.plan);
  LaunchLoosener loosener(result.plan);
  for (Launch& launch : result.plan.launches) {
    LaunchZeros zeros = zero_buffers.of(launch);
    BatchLaunch of = describe(result, launch);
    of.drops = zero_buffers.may_drop_members(launch);
    if (!of.drops && selects_resting_members(result.plan.kernels[launch.kernel], zeros)) {
      return Errors(ErrorCode::BackendUnsupported, "batches",
                    "a kernel that selects among drawn members reads the others, too");
    }
    if (of.drops) let_members_tell(zeros, result.plan.kernels[launch.kernel]);
    VECC_TRY(of.updates, updates.of(launch, zeros));
    of.sources = sources_of(result, launch, zeros);
    if (compact && !of.drops) {  // batches are found in what it was
      arrays.bind(launch, of);
      of.takes_order = true;
      loosener.list_rows(launch);
    } else {
      of.drops ? loosener.list_members(launch) : loosener.take_order(launch);
      arrays.bind(launch, of);
    }
    result.launches.push_back(std::move(of));
  }
  VECC_TRY_VOID(updates.check_sources());
  result.groups = updates.groups();
  find_units(result);
  const NarrowArrays narrow(result.plan);
  for (std::size_t l = 0; l < result.plan.launches.size(); ++l) {
    const Launch& launch = result.plan.launches[l];
    result.launches[l].is_narrow = narrow.has_all_of(launch);
    const Kernel& kernel = result.plan.kernels[launch.kernel];
    result.launches[l].floor = tile_floor(kernel, result.plan.target);
    result.launches[l].row_work = row_work(kernel);
  }
  if (compact) find_blocks(result);
  return result;
}

}  // namespace vecc
