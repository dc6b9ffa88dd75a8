#include "src/batch/batch_plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "src/batch/loosen_launch.h"
#include "src/batch/zero_nodes.h"
#include "src/plan/analysis/narrow_arrays.h"

namespace vecc {
namespace {

using Kind = KernelNode::Kind;
using Array = std::shared_ptr<const std::vector<std::uint32_t>>;

bool is_kept(const PlanBuffer& buffer) {
  return buffer.kind == PlanBuffer::Kind::Parameter || buffer.kind == PlanBuffer::Kind::State;
}

class BatchPlanner {
 public:
  BatchPlanner(Plan plan, const Program& program, const BatchOptions& options)
      : program_(program), options_(options) {
    result_.plan = std::move(plan);
    result_.lists_touched = options.lists_touched;
  }

  Result<BatchPlan> run() && {
    find_zero_buffers();
    find_groups();
    find_made_buffers();
    LaunchLoosener loosener(plan());
    for (Launch& launch : plan().launches) {
      VECC_TRY_VOID(check_order_of_updates(launch));
      BatchLaunch of = describe(launch);
      of.drops ? loosener.list_members(launch) : loosener.take_order(launch);
      bind_arrays(launch, of);
      VECC_TRY_VOID(add_updates(launch, of));
      add_sources(launch, of);
      result_.launches.push_back(std::move(of));
    }
    VECC_TRY_VOID(check_groups());
    find_units();
    const NarrowArrays narrow(plan());
    for (std::size_t l = 0; l < plan().launches.size(); ++l) {
      result_.launches[l].is_narrow = narrow.has_all_of(plan().launches[l]);
    }
    return std::move(result_);
  }

 private:
  Plan& plan() { return result_.plan; }
  [[nodiscard]] const Kernel& kernel_of(const Launch& launch) {
    return plan().kernels[launch.kernel];
  }

  // By access of a launch: loads of zero buffers; only those of members if `of_members`.
  std::vector<bool> zeros_of(const Launch& launch, bool of_members = false) {
    std::vector<bool> zeros;
    const Kernel& kernel = kernel_of(launch);
    for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
      const bool counts = !of_members || kernel.accesses[a].space == KernelSpace::Member;
      zeros.push_back(counts && !kernel.accesses[a].store &&
                      result_.zero_buffers[launch.accesses[a].buffer]);
    }
    return zeros;
  }

  // Buffers are 0 but for a batch until a launch stores something else there.
  void find_zero_buffers() {
    result_.weights.resize(options_.weights.size());
    for (BufferIndex b = 0; b < plan().buffers.size(); ++b) {
      const PlanBuffer& buffer = plan().buffers[b];
      bool is_zero = buffer.kind == PlanBuffer::Kind::Arena;
      for (std::size_t w = 0; w < options_.weights.size(); ++w) {
        if (buffer.kind != PlanBuffer::Kind::Parameter || buffer.source != options_.weights[w]) {
          continue;
        }
        is_zero = true;
        result_.weights[w].push_back(b);
      }
      result_.zero_buffers.push_back(is_zero);
    }
    for (bool changes = true; changes;) {
      changes = false;
      for (const Launch& launch : plan().launches) changes = note_stores(launch) || changes;
    }
  }
  bool note_stores(const Launch& launch) {
    const Kernel& kernel = kernel_of(launch);
    const std::vector<bool> zeros = zero_nodes(kernel, zeros_of(launch));
    bool changes = false;
    for (const KernelStore& store : kernel.stores) {
      const BufferIndex buffer = launch.accesses[store.access].buffer;
      if (zeros[store.value] || !result_.zero_buffers[buffer]) continue;
      result_.zero_buffers[buffer] = false;
      changes = true;
    }
    return changes;
  }

  void find_groups() {
    for (const BatchOptions::Update& update : options_.updates) {
      const auto at = std::ranges::find(result_.groups, update.parameter);
      const auto group = static_cast<std::uint32_t>(at - result_.groups.begin());
      if (at == result_.groups.end()) result_.groups.push_back(update.parameter);
      const ValueId target = program_.op(update.update).operands[0];
      if (program_.op(target).kind() == OpKind::State) group_of_state_[target] = group;
    }
  }
  [[nodiscard]] std::uint32_t group_of(const PlanBuffer& buffer) const {
    if (buffer.kind == PlanBuffer::Kind::State) {
      const auto found = group_of_state_.find(buffer.source);
      return found == group_of_state_.end() ? kNone : found->second;
    }
    const auto at = std::ranges::find(result_.groups, buffer.source);
    return at == result_.groups.end() ? kNone
                                      : static_cast<std::uint32_t>(at - result_.groups.begin());
  }

  void find_made_buffers() {
    made_.assign(plan().buffers.size(), false);
    for (const Launch& launch : plan().launches) {
      const Kernel& kernel = kernel_of(launch);
      for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
        const BufferIndex buffer = launch.accesses[a].buffer;
        if (kernel.accesses[a].store && plan().buffers[buffer].kind == PlanBuffer::Kind::Arena) {
          made_[buffer] = true;
        }
      }
    }
  }

  // Parameters and states are read as they were before the step.
  Result<void> check_order_of_updates(const Launch& launch) {
    const Kernel& kernel = kernel_of(launch);
    for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
      const PlanBuffer& buffer = plan().buffers[launch.accesses[a].buffer];
      if (kernel.accesses[a].store || !updated_.contains({buffer.kind, buffer.source})) continue;
      return Errors(ErrorCode::BackendUnsupported, "batches",
                    "a launch reads what one before it has updated");
    }
    for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
      const PlanBuffer& buffer = plan().buffers[launch.accesses[a].buffer];
      if (kernel.accesses[a].store && is_kept(buffer))
        updated_.insert({buffer.kind, buffer.source});
    }
    return {};
  }

  // Whether members whose loads are 0 add nothing, and their number is not read.
  bool may_drop(const Launch& launch) {
    const Kernel& kernel = kernel_of(launch);
    const std::vector<bool> zeros = zeros_of(launch, true);
    if (kernel.segments == KernelSegments::None || std::ranges::find(zeros, true) == zeros.end()) {
      return false;
    }
    const std::vector<bool> found = zero_nodes(kernel, zeros);
    const auto adds_nothing = [&](const KernelNode& node) {
      switch (node.kind) {
        case Kind::ReduceArg:
        case Kind::Selected:
        case Kind::Scan:
        case Kind::Threshold: return false;
        case Kind::Reduce:
          return node.combination == Combination::Sum && !node.operands.empty() &&
                 found[node.operands[0]];
        case Kind::Load:
        case Kind::Constant:
        case Kind::Transform:
        case Kind::TransformVjp:
        case Kind::Combine:
        case Kind::CombineVjp:
        case Kind::Times:
        case Kind::RowSum:
        case Kind::Guard: return !node.words_by_row;
      }
      return false;
    };
    const auto stores_members = [](const KernelAccess& access) {
      return access.store && access.space == KernelSpace::Member;
    };
    return std::ranges::all_of(kernel.nodes, adds_nothing) &&
           std::ranges::none_of(kernel.accesses, stores_members);
  }

  BatchLaunch describe(const Launch& launch) {
    const Kernel& kernel = kernel_of(launch);
    BatchLaunch of;
    of.rows = launch.rows;
    of.work = launch.work;
    of.drops = may_drop(launch);
    for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
      const AccessBinding& binding = launch.accesses[a];
      const KernelAccess& access = kernel.accesses[a];
      BatchAccess to;
      to.space = access.space;
      to.map = access.map;
      to.buffer = binding.buffer;
      to.store = access.store;
      to.is_zero = !access.store && result_.zero_buffers[binding.buffer];
      to.is_made = !access.store && made_[binding.buffer];
      to.rows = binding.rows;
      of.accesses.push_back(to);
    }
    return of;
  }

  // What the loosened launch reads by.
  void bind_arrays(const Launch& launch, BatchLaunch& of) {
    const Kernel& kernel = kernel_of(launch);
    of.segments = kernel.segments;
    of.members = launch.members;
    of.takes_order = kernel.ordered || has_tile_types(kernel);
    if (launch.offsets != kNone) of.offsets = plan().arrays[launch.offsets];
    if (has_tile_types(kernel)) of.types = types_of(launch);
    bool looks_back = false;
    for (std::size_t a = 0; a < of.accesses.size(); ++a) {
      BatchAccess& access = of.accesses[a];
      const bool is_member = access.space == KernelSpace::Member;
      if (is_member && kernel.accesses[a].map == RowMap::List) access.map = RowMap::List;
      looks_back = looks_back || (is_member && (access.is_zero || access.store));
      if (access.map != RowMap::List) continue;
      const ArrayIndex list = launch.accesses[a].list;
      access.list = plan().arrays[list];
      if (access.is_zero || access.store) access.readers = readers_of(list, access.rows);
    }
    if (looks_back && of.segments == KernelSegments::Ragged) of.owners = owners_of(launch.offsets);
  }
  std::shared_ptr<const InverseIndex> readers_of(ArrayIndex list, std::uint32_t rows) {
    auto& found = readers_[{list, rows}];
    if (!found) {
      found = std::make_shared<const InverseIndex>(
          inverse_index(std::span<const std::uint32_t>(*plan().arrays[list]), rows));
    }
    return found;
  }
  Array owners_of(ArrayIndex offsets) {
    Array& found = owners_[offsets];
    if (!found) {
      const std::vector<std::uint32_t>& begins = *plan().arrays[offsets];
      std::vector<std::uint32_t> owners(begins.back());
      for (std::uint32_t row = 0; row + 1 < begins.size(); ++row) {
        std::fill(owners.begin() + begins[row], owners.begin() + begins[row + 1], row);
      }
      found = std::make_shared<const std::vector<std::uint32_t>>(std::move(owners));
    }
    return found;
  }
  Array types_of(const Launch& launch) {
    std::vector<std::uint32_t> types(launch.rows);
    for (std::size_t t = 0; t + 1 < launch.tiles.size(); ++t) {
      for (std::uint32_t q = launch.tiles[t]; q < launch.tiles[t + 1]; ++q) {
        types[(*plan().arrays[launch.order])[q]] = launch.tile_types[t];
      }
    }
    return std::make_shared<const std::vector<std::uint32_t>>(std::move(types));
  }

  Result<void> add_updates(const Launch& launch, BatchLaunch& of) {
    const Kernel& kernel = kernel_of(launch);
    const std::vector<bool> zeros = zeros_of(launch);
    const std::vector<bool> found = zero_nodes(kernel, zeros);
    std::set<std::uint32_t> groups;
    for (const KernelStore& store : kernel.stores) {
      const PlanBuffer& buffer = plan().buffers[launch.accesses[store.access].buffer];
      if (!is_kept(buffer)) continue;
      BatchUpdate update{store.access, group_of(buffer), {}};
      update.sources = zero_sources(kernel, zeros, found, store.value);
      groups.insert(update.group);
      of.updates.push_back(std::move(update));
    }
    if (options_.lists_touched && groups.size() > 1 && launch.rows > 1) {
      return Errors(ErrorCode::BackendUnsupported, "batches",
                    "a launch updates several parameters, each in rows of its own");
    }
    return {};
  }

  void add_sources(const Launch& launch, BatchLaunch& of) {
    const Kernel& kernel = kernel_of(launch);
    const std::vector<bool> zeros = zeros_of(launch);
    const std::vector<bool> found = zero_nodes(kernel, zeros);
    std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>> stores;  // by their loads
    std::vector<std::uint32_t> others;
    for (std::uint32_t a = 0; a < zeros.size(); ++a) {
      if (zeros[a]) others.push_back(a);
    }
    for (const KernelStore& store : kernel.stores) {
      if (!result_.zero_buffers[launch.accesses[store.access].buffer]) continue;
      std::vector<std::uint32_t> loads = zero_sources(kernel, zeros, found, store.value);
      for (const std::uint32_t load : loads) std::erase(others, load);
      if (!loads.empty()) stores[std::move(loads)].push_back(store.access);
    }
    for (auto& [loads, stored] : stores) of.sources.push_back({loads, std::move(stored)});
    if (!others.empty()) of.sources.push_back({std::move(others), {}});
  }

  // Whether a batch reaches a parameter is known by what its gradient is summed of.
  Result<void> check_groups() const {
    std::vector<bool> has_source(result_.groups.size(), false);
    for (const BatchLaunch& launch : result_.launches) {
      for (const BatchUpdate& update : launch.updates) {
        if (update.group != kNone && !update.sources.empty()) has_source[update.group] = true;
      }
    }
    if (std::ranges::find(has_source, false) == has_source.end()) return {};
    return Errors(ErrorCode::BackendUnsupported, "batches",
                  "a gradient that is not 0 without samples");
  }

  void find_units() {
    result_.units.assign(plan().buffers.size(), 0);
    const auto for_each = [&](auto&& visit) {
      for (std::size_t l = 0; l < plan().launches.size(); ++l) {
        const Launch& launch = plan().launches[l];
        for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
          visit(launch.accesses[a], kernel_of(launch).accesses[a].shape.size(),
                result_.launches[l].accesses[a]);
        }
      }
    };
    for_each([&](const AccessBinding& binding, std::uint64_t size, BatchAccess&) {
      std::uint64_t& unit = result_.units[binding.buffer];
      unit = std::gcd(std::gcd(unit, size), binding.first);
    });
    for_each([&](const AccessBinding& binding, std::uint64_t size, BatchAccess& access) {
      access.first = binding.first / result_.units[binding.buffer];
      access.size = size / result_.units[binding.buffer];
    });
    for (std::uint64_t& unit : result_.units) unit = std::max<std::uint64_t>(unit, 1);
  }

  const Program& program_;
  const BatchOptions& options_;
  BatchPlan result_;
  std::map<ValueId, std::uint32_t> group_of_state_;
  std::vector<bool> made_;  // by buffer: a launch stores into it
  std::set<std::pair<PlanBuffer::Kind, std::uint32_t>> updated_;
  std::map<std::pair<ArrayIndex, std::uint32_t>, std::shared_ptr<const InverseIndex>> readers_;
  std::map<ArrayIndex, Array> owners_;
};

}  // namespace

std::uint64_t bytes_of(const BatchPlan& plan) {
  std::map<const void*, std::uint64_t> arrays;
  for (const BatchLaunch& launch : plan.launches) {
    for (const Array* array : {&launch.offsets, &launch.owners, &launch.types}) {
      if (*array) arrays[array->get()] = (*array)->size();
    }
    for (const BatchAccess& access : launch.accesses) {
      if (access.list) arrays[access.list.get()] = access.list->size();
      if (!access.readers) continue;
      arrays[access.readers.get()] =
          access.readers->offsets.size() + access.readers->readers.size();
    }
  }
  std::uint64_t entries = 0;
  for (const auto& [array, size] : arrays) entries += size;
  return entries * sizeof(std::uint32_t);
}

Result<BatchPlan> make_batch_plan(Plan plan, const Program& program, const BatchOptions& options) {
  return BatchPlanner(std::move(plan), program, options).run();
}

}  // namespace vecc
