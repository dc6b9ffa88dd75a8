#include "src/plan/assemble.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <unordered_map>

#include "src/kernel/matrix_units.h"
#include "src/plan/analysis/in_place.h"
#include "src/plan/analysis/launch_rows.h"
#include "src/plan/arena.h"
#include "src/plan/read_sources.h"

namespace vecc {
namespace {

struct NumberedKernel {
  Kernel kernel;
  std::uint32_t number = 0;  // of the Plan's
};

class PlanAssembler {
 public:
  explicit PlanAssembler(Lowering& lowering)
      : lowering_(lowering),
        program_(lowering.program()),
        op_count_(static_cast<ValueId>(program_.ops().size())),
        buffers_(lowering.values.size(), kNone) {}

  Plan assemble() {
    plan_.target = lowering_.options().target;
    plan_.dtype = program_.dtype();
    keep_values();
    plan_.arrays = lowering_.arrays;
    add_launches();
    if (lowering_.options().target.runs_levels_at_once()) read_sources(plan_, kept_buffers());
    find_lifetimes();
    lowering_.forget();
    place_buffers();
    return std::move(plan_);
  }

 private:
  // What the host reads after a run.
  void keep_values() {
    std::vector<ValueId> kept = lowering_.options().kept;
    for (ValueId id = 0; id < op_count_; ++id) {
      const OpKind kind = program_.op(id).kind();
      if (lowering_.options().keep_values || kind == OpKind::Output) kept.push_back(id);
    }
    kept_.assign(lowering_.values.size(), false);
    is_read_.assign(op_count_, false);
    for (const ValueId id : kept) {
      is_read_[id] = true;
      ValueId value = stored_value(id);
      store(value);
      kept_[value] = true;
      while (lowering_.values[value].alias != kNone) {
        value = lowering_.values[value].alias;
        kept_[value] = true;
      }
    }
  }
  [[nodiscard]] ValueId stored_value(ValueId id) const { return lowering_.sources.value_of(id); }
  void store(ValueId value) {
    for (; value != kNone; value = lowering_.values[value].alias) {
      lowering_.values[value].stored = true;
    }
  }

  [[nodiscard]] bool stores_anything(const KernelGroup& group) const {
    return group.stores() || std::ranges::any_of(group.values, [&](const auto& made) {
             return lowering_.values[made.first].stored;
           });
  }
  void store_values(KernelGroup& group) const {
    for (const auto& [value, node] : group.values) {
      if (!lowering_.values[value].stored) continue;
      GroupAccess access;
      access.value = value;
      group.store(node, access);
    }
  }

  // Each group goes when there is a launch of it. Most groups stand in the order of their launches.
  void add_launches() {
    std::deque<KernelGroup>& groups = lowering_.groups;
    const std::vector<GroupIndex> order = ordered_groups();
    std::vector<bool> waits(groups.size(), false);
    for (const GroupIndex g : order) waits[g] = true;
    plan_.launches.reserve(order.size());
    plan_.buffers.reserve(order.size() + order.size() / 16 + 64);  // of facts and parameters, too
    GroupIndex first = 0;                                          // of `groups`
    for (const GroupIndex g : order) {
      add_launch(groups[g - first]);
      groups[g - first] = KernelGroup();
      waits[g] = false;
      for (; !groups.empty() && !waits[first]; ++first) groups.pop_front();
    }
    groups.clear();
  }

  // Those that store anything, by stage and level.
  std::vector<GroupIndex> ordered_groups() {
    std::vector<GroupIndex> order;
    for (GroupIndex g = 0; g < lowering_.groups.size(); ++g) {
      const KernelGroup& group = lowering_.groups[g];
      if (group.rows() > 0 && stores_anything(group)) order.push_back(g);
    }
    std::ranges::stable_sort(order, [&](GroupIndex a, GroupIndex b) {
      const KernelGroup& left = lowering_.groups[a];
      const KernelGroup& right = lowering_.groups[b];
      return std::pair(left.stage(), left.level) < std::pair(right.stage(), right.level);
    });
    return order;
  }

  // The buffer that holds a value, made when it is first named, and where in it the value begins.
  std::pair<BufferIndex, std::uint64_t> place_of(ValueId value) {
    while (lowering_.values[value].alias != kNone) value = lowering_.values[value].alias;
    const ValueId root = lowering_.places[value].buffer;
    if (buffers_[root] == kNone) {
      buffers_[root] = static_cast<BufferIndex>(plan_.buffers.size());
      plan_.buffers.push_back(buffer_of(root));
    }
    return {buffers_[root],
            lowering_.places[value].first_row * lowering_.values[value].shape.size()};
  }
  PlanBuffer buffer_of(ValueId root) {
    const ValueState& state = lowering_.values[root];
    PlanBuffer buffer;
    buffer.elements = state.rows * state.shape.size();
    if (root >= op_count_) {
      buffer.values = constants_of(root);
      if (buffer.values) buffer.kind = PlanBuffer::Kind::Constant;
      return buffer;
    }
    const Op& op = program_.op(root);
    if (const auto* fact = std::get_if<FactOp>(&op.attributes)) {
      buffer.kind = PlanBuffer::Kind::Constant;
      buffer.values =
          fact->unit ? std::make_shared<const std::vector<double>>(op.rows, 1.0) : fact->values;
    } else if (const auto* weight = std::get_if<WeightOp>(&op.attributes)) {
      return parameter_buffer(weight->parameter, buffer);
    } else if (op.kind() == OpKind::State) {
      buffer.kind = PlanBuffer::Kind::State;
      buffer.source = root;
    }
    return buffer;
  }
  [[nodiscard]] std::shared_ptr<const std::vector<double>> constants_of(ValueId value) const {
    const auto found = lowering_.constants.find(value);
    return found == lowering_.constants.end() ? nullptr : found->second;
  }
  PlanBuffer parameter_buffer(ParameterIndex parameter, PlanBuffer buffer) {
    buffer.kind = PlanBuffer::Kind::Parameter;
    buffer.source = parameter;
    return buffer;
  }

  // It loads what it stores: before that the old rows of an update, after it a member's value.
  void mark_aliases(Kernel& kernel, const Launch& launch) {
    const std::vector<AccessSteps> steps = access_steps(kernel);
    for (std::size_t s = 0; s < kernel.accesses.size(); ++s) {
      if (!kernel.accesses[s].store) continue;
      for (std::size_t l = 0; l < kernel.accesses.size(); ++l) {
        if (kernel.accesses[l].store || !may_overlap(plan_, kernel, launch, s, l)) continue;
        (steps[l].last < steps[s].first ? kernel.in_place : kernel.reloads) = true;
      }
    }
    kernel.in_place = kernel.in_place && !kernel.reloads;
  }

  void add_launch(KernelGroup& group) {
    store_values(group);
    Kernel kernel = group.take_kernel();
    Launch launch;
    launch.rows = group.rows();
    launch.stage = group.stage();
    launch.level = group.level;
    launch.ops = std::move(group.ops);
    launch.words = group.words();
    if (group.has_segments()) {
      const Segments& segments = *group.segments();
      launch.members = segments.members();
      if (!segments.is_fixed()) launch.offsets = offsets_array(segments);
    }
    // Buffers are numbered by what launches make.
    const auto made = std::ranges::find_if(
        group.accesses(), [](const GroupAccess& access) { return access.access.store; });
    place_of(made->value);
    launch.accesses.reserve(group.accesses().size());
    for (const GroupAccess& access : group.accesses()) {
      const auto [buffer, first] = place_of(access.value);
      const ValueState& state = lowering_.values[access.value];
      AccessBinding binding;
      binding.buffer = buffer;
      binding.first = first + access.first_row * state.shape.size();
      binding.rows = static_cast<std::uint32_t>((state.rows - access.first_row) *
                                                state.shape.size() / access.access.shape.size());
      binding.list = access.list;
      KernelAccess& own = kernel.accesses[launch.accesses.size()];
      own.aligned =
          lowering_.options().target.packed_bytes > 0 && binding.first % pack_size(own.shape) == 0;
      launch.accesses.push_back(binding);
    }
    mark_aliases(kernel, launch);
    cut_tiles(kernel, plan_, group.types, lowering_.options(), launch, plan_.arrays);
    kernel.precision = lowering_.options().precision;
    if (!uses_matrix_units(kernel)) kernel.precision = MatmulPrecision::Exact;
    launch.kernel = kernel_number(std::move(kernel));
    plan_.launches.push_back(std::move(launch));
  }
  // By text: what no printer reads does not make kernels differ.
  std::uint32_t kernel_number(Kernel kernel) {
    const auto numbered = [&] {
      const auto [found, is_new] =
          texts_.try_emplace(text_of(kernel), static_cast<std::uint32_t>(plan_.kernels.size()));
      if (is_new) plan_.kernels.push_back(kernel);
      return NumberedKernel{std::move(kernel), found->second};
    };
    return kernels_.find(kernel, numbered).number;
  }
  ArrayIndex offsets_array(const Segments& segments) {
    const auto& offsets = segments.shared_offsets();
    const auto [found, is_new] =
        offsets_.try_emplace(offsets.get(), static_cast<ArrayIndex>(plan_.arrays.size()));
    if (is_new) plan_.arrays.push_back(offsets);
    return found->second;
  }

  std::vector<bool> kept_buffers() {
    std::vector<bool> kept(plan_.buffers.size(), false);
    for (ValueId id = 0; id < op_count_; ++id) {
      const ValueId value = stored_value(id);
      if (is_stored(value) && kept_[value]) {
        kept.resize(std::max(kept.size(), std::size_t{place_of(value).first} + 1), false);
        kept[place_of(value).first] = true;
      }
    }
    return kept;
  }
  void find_lifetimes() {
    const auto end = static_cast<std::uint32_t>(plan_.launches.size());
    std::vector<std::uint32_t> stages(plan_.buffers.size(), kNone);
    for (PlanBuffer& buffer : plan_.buffers) buffer.first = end;
    for (std::uint32_t l = 0; l < end; ++l) {
      const Launch& launch = plan_.launches[l];
      for (const AccessBinding& binding : launch.accesses) {
        PlanBuffer& buffer = plan_.buffers[binding.buffer];
        buffer.first = std::min(buffer.first, l);
        buffer.last = std::max(buffer.last, l);
        // What the first stage leaves to the second, which may run again, stays.
        std::uint32_t& stage = stages[binding.buffer];
        if (stage == kNone) stage = launch.stage;
        if (stage != launch.stage) buffer.last = end;
      }
    }
    find_places(end);
    for (PlanBuffer& buffer : plan_.buffers) {
      if (buffer.first == end) buffer.first = 0;  // nobody writes it: no rows, or a constant
    }
  }
  void find_places(std::uint32_t end) {
    plan_.places.resize(op_count_);
    for (ValueId id = 0; id < op_count_; ++id) {
      const ValueId value = stored_value(id);
      if (!is_stored(value)) continue;
      const auto [buffer, first] = place_of(value);
      if (kept_[value]) plan_.buffers[buffer].last = end;
      std::optional<Index> view = lowering_.sources[id].index;
      if (view && !is_read_[id]) continue;
      plan_.places[id] = {buffer, kNone, first};
      if (!view) continue;
      plan_.places[id].view = static_cast<std::uint32_t>(plan_.views.size());
      plan_.views.push_back(*std::move(view));
    }
  }
  // In place, unless other gaps then happen to fit worse. Kernels do not depend on sizes: they are
  // marked even if nothing is reused.
  void place_buffers() {
    const PlanOptions& options = lowering_.options();
    const auto launches = static_cast<std::uint32_t>(plan_.launches.size());
    std::vector<BufferIndex> takes;
    if (!options.target.runs_levels_at_once()) takes = find_lenders(plan_);
    mark_in_place(plan_, takes);
    if (place_apart(launches)) return;
    std::vector<PlanBuffer> lives = plan_.buffers;
    if (options.target.runs_levels_at_once()) live_by_level(plan_.launches, lives);
    std::vector<PlanBuffer> shared = lives;
    const std::uint64_t in_place = place_in_arena(shared, launches, takes);
    plan_.arena_elements = place_in_arena(lives, launches);
    if (in_place <= plan_.arena_elements) {
      plan_.arena_elements = in_place;
      lives = std::move(shared);
    }
    for (std::size_t b = 0; b < lives.size(); ++b) plan_.buffers[b].offset = lives[b].offset;
  }
  // Each buffer where no other one ever is, if that is not too much.
  bool place_apart(std::uint32_t launches) {
    if (elements_apart(plan_.buffers) > lowering_.options().least_reused_elements) return false;
    std::vector<PlanBuffer> apart = plan_.buffers;
    for (PlanBuffer& buffer : apart) {
      buffer.first = 0;
      buffer.last = launches;
    }
    plan_.arena_elements = place_in_arena(apart, launches);
    plan_.buffers = std::move(apart);
    return true;
  }
  [[nodiscard]] bool is_stored(ValueId value) const {
    if (lowering_.values[value].stored) return true;
    if (value >= op_count_) return constants_of(value) != nullptr;
    const OpKind kind = program_.op(value).kind();
    return kind == OpKind::Fact || kind == OpKind::Weight || kind == OpKind::State;
  }
  Lowering& lowering_;
  const Program& program_;
  ValueId op_count_;
  Plan plan_;
  std::vector<BufferIndex> buffers_;  // by root value
  std::vector<bool> kept_;            // by value
  std::vector<bool> is_read_;         // by value of the Program: by the host
  KernelSet<NumberedKernel> kernels_;
  std::unordered_map<std::string, std::uint32_t> texts_;  // of kernels, with their numbers
  std::unordered_map<const void*, ArrayIndex> offsets_;
};

}  // namespace

Plan assemble_plan(Lowering& lowering) {
  return PlanAssembler(lowering).assemble();
}

Plan make_plan(const Program& program, const PlanOptions& options) {
  Lowering lowering(program, options);
  lowering.lower_all();
  return assemble_plan(lowering);
}

std::vector<std::string> unsupported_by_plan(const Program&) {
  return {};
}

}  // namespace vecc
