#include "src/plan/make_launches.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "src/kernel/access_steps.h"
#include "src/kernel/schedule/tensor_cores.h"
#include "src/plan/analysis/launch_rows.h"
#include "src/plan/arena.h"
#include "src/plan/lower/lower_ops.h"
#include "src/plan/store_parts.h"
#include "src/program/value_indices.h"
#include "src/support/timed_stage.h"

namespace vecc {
namespace {

struct NumberedKernel {
  Kernel kernel;
  std::uint32_t number = 0;  // of the Plan's
};

class PlanAssembler {
 public:
  PlanAssembler(const Program& program, const PlanOptions& options, Grouping& grouping)
      : program_(program),
        options_(options),
        groups_(grouping.groups),
        values_(grouping.values),
        op_count_(static_cast<ValueId>(program_.ops().size())),
        buffers_(values_.size(), kNone) {
    plan_.target = options.target;
    plan_.dtype = program.dtype();
    for (const auto& [array, number] : grouping.arrays.filled()) {
      offsets_.emplace(array, number);
      plan_.filled.resize(std::max<std::size_t>(plan_.filled.size(), number + 1));
      plan_.filled[number] = true;
    }
    plan_.arrays = grouping.arrays.take();
    steps_ = std::move(grouping.steps);
  }

  Plan assemble() {
    keep_values();
    add_launches();
    add_number_steps();
    if (options_.target.runs_levels_at_once()) elide_copies(plan_, kept_buffers());
    find_lifetimes();
    return std::move(plan_);
  }

 private:
  // What the host reads after a run.
  void keep_values() {
    std::vector<ValueId> kept = options_.kept;
    for (ValueId id = 0; id < op_count_; ++id) {
      if (options_.keep_values || program_.op(id).kind() == OpKind::Output) kept.push_back(id);
    }
    kept_.assign(values_.size(), false);
    is_read_.assign(op_count_, false);
    for (const ValueId id : kept) {
      is_read_[id] = true;
      const ValueId value = values_.source_value(id);
      values_.mark_stored(value);
      for (ValueId v = value; v != kNone; v = values_[v].alias) kept_[v] = true;
    }
  }

  [[nodiscard]] bool stores_anything(const KernelGroup& group) const {
    return group.stores() || std::ranges::any_of(group.values(), [&](const auto& made) {
             return values_[made.first].stored;
           });
  }
  void store_values(KernelGroup& group) const {
    for (const auto& [value, node] : group.values()) {
      if (!values_[value].stored) continue;
      GroupAccess access;
      access.value = value;
      group.store(node, access);
    }
  }

  // Each group goes when there is a launch of it. Most groups stand in the order of their launches.
  void add_launches() {
    const std::vector<GroupIndex> order = ordered_groups();
    std::vector<bool> waits(groups_.size(), false);
    for (const GroupIndex g : order) waits[g] = true;
    for (GroupIndex g = 0; g < waits.size(); ++g) {
      if (!waits[g]) groups_.release(g);
    }
    plan_.launches.reserve(order.size());
    plan_.buffers.reserve(order.size() + order.size() / 16 + 64);  // of facts and parameters, too
    for (const GroupIndex g : order) {
      add_launch(groups_[g]);
      groups_.release(g);
    }
  }

  // Those that store anything, by stage and level.
  std::vector<GroupIndex> ordered_groups() {
    std::vector<GroupIndex> order;
    for (GroupIndex g = 0; g < groups_.size(); ++g) {
      const KernelGroup& group = groups_[g];
      if (group.rows() > 0 && stores_anything(group)) order.push_back(g);
    }
    std::ranges::stable_sort(order, [&](GroupIndex a, GroupIndex b) {
      const KernelGroup& left = groups_[a];
      const KernelGroup& right = groups_[b];
      return std::pair(left.stage(), left.level) < std::pair(right.stage(), right.level);
    });
    return order;
  }

  // The buffer that holds a value, made when it is first named, and where in it the value begins.
  std::pair<BufferIndex, std::uint64_t> place_of(ValueId value) {
    while (values_[value].alias != kNone) value = values_[value].alias;
    const auto [root, first_row] = values_.place(value);
    if (buffers_[root] == kNone) {
      buffers_[root] = static_cast<BufferIndex>(plan_.buffers.size());
      plan_.buffers.push_back(buffer_of(root));
    }
    return {buffers_[root], first_row * values_[value].shape.size()};
  }
  PlanBuffer buffer_of(ValueId root) {
    const ValueState& state = values_[root];
    PlanBuffer buffer;
    buffer.elements = state.rows * state.shape.size();
    if (root >= op_count_) {
      buffer.values = values_.constants(root);
      if (buffer.values) buffer.kind = PlanBuffer::Kind::Constant;
      return buffer;
    }
    const Op& op = program_.op(root);
    if (const auto* fact = std::get_if<FactOp>(&op.attributes)) {
      buffer.kind = PlanBuffer::Kind::Constant;
      buffer.values = fact->unit ? SharedNumbers::repeated(op.rows, 1) : fact->values;
    } else if (const auto* weight = std::get_if<WeightOp>(&op.attributes)) {
      buffer.kind = PlanBuffer::Kind::Parameter;
      buffer.source = weight->parameter;
    } else if (op.kind() == OpKind::State) {
      buffer.kind = PlanBuffer::Kind::State;
      buffer.source = root;
    }
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
    launch.ops = group.ops();
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
      const ValueState& state = values_[access.value];
      AccessBinding binding;
      binding.buffer = buffer;
      binding.first = first + access.first_row * state.shape.size();
      binding.rows = static_cast<std::uint32_t>((state.rows - access.first_row) *
                                                state.shape.size() / access.access.shape.size());
      binding.list = access.list;
      KernelAccess& own = kernel.accesses[launch.accesses.size()];
      own.aligned = options_.target.packed_bytes > 0 && binding.first % pack_size(own.shape) == 0;
      launch.accesses.push_back(binding);
    }
    mark_aliases(kernel, launch);
    if (!kernel.reloads && !kernel.in_place) store_parts(kernel);
    cut_tiles(kernel, plan_, group.types, options_, launch, plan_.arrays);
    kernel.precision = options_.precision;
    if (!uses_tensor_cores(kernel)) kernel.precision = MatmulPrecision::Exact;
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

  void add_number_steps() {
    const auto at = [](const NumberStep& step) { return std::pair(step.stage, step.level); };
    std::ranges::stable_sort(steps_, {}, [&](const GroupedStep& of) { return at(of.step); });
    for (GroupedStep& of : steps_) {
      NumberStep& step = of.step;
      const auto next = std::ranges::lower_bound(
          plan_.launches, at(step), {},
          [](const Launch& launch) { return std::pair(launch.stage, launch.level); });
      step.before = static_cast<std::uint32_t>(next - plan_.launches.begin());
      step.from = all_rows(of.from, step.row_elements);
      if (of.to != kNone) step.to = all_rows(of.to, step.row_elements);
      plan_.number_steps.push_back(std::move(step));
    }
  }
  AccessBinding all_rows(ValueId value, std::uint64_t row_elements) {
    const auto [buffer, first] = place_of(value);
    const ValueState& state = values_[value];
    const std::uint64_t rows = state.rows * state.shape.size() / row_elements;
    return {buffer, first, static_cast<std::uint32_t>(rows), kNone};
  }

  std::vector<bool> kept_buffers() {
    std::vector<bool> kept(plan_.buffers.size(), false);
    for (ValueId id = 0; id < op_count_; ++id) {
      const ValueId value = values_.source_value(id);
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
    const auto note = [&](const AccessBinding& binding, std::uint32_t launch, std::uint32_t at) {
      PlanBuffer& buffer = plan_.buffers[binding.buffer];
      buffer.first = std::min(buffer.first, launch);
      buffer.last = std::max(buffer.last, launch);
      // What the first stage leaves to the second, which may run again, stays.
      std::uint32_t& stage = stages[binding.buffer];
      if (stage == kNone) stage = at;
      if (stage != at) buffer.last = end;
    };
    for (std::uint32_t l = 0; l < end; ++l) {
      const Launch& launch = plan_.launches[l];
      for (const AccessBinding& binding : launch.accesses) note(binding, l, launch.stage);
    }
    for (const NumberStep& step : plan_.number_steps) {
      note(step.from, step.before, step.stage);
      if (step.to.rows > 0) note(step.to, step.before, step.stage);
    }
    find_places(end);
    for (PlanBuffer& buffer : plan_.buffers) {
      if (buffer.first == end) buffer.first = 0;  // never written: no rows, or a constant
    }
  }
  void find_places(std::uint32_t end) {
    plan_.places.resize(op_count_);
    for (ValueId id = 0; id < op_count_; ++id) {
      const ValueId value = values_.source_value(id);
      if (!is_stored(value)) continue;
      const auto [buffer, first] = place_of(value);
      if (kept_[value]) plan_.buffers[buffer].last = end;
      std::optional<Index> view = values_.source(id).index;
      if (view && !is_read_[id]) continue;
      plan_.places[id] = {buffer, kNone, first};
      if (!view) continue;
      plan_.places[id].view = static_cast<std::uint32_t>(plan_.views.size());
      plan_.views.push_back(*std::move(view));
    }
  }
  [[nodiscard]] bool is_stored(ValueId value) const {
    if (values_[value].stored) return true;
    if (value >= op_count_) return bool(values_.constants(value));
    const OpKind kind = program_.op(value).kind();
    return kind == OpKind::Fact || kind == OpKind::Weight || kind == OpKind::State;
  }

  const Program& program_;
  const PlanOptions& options_;
  KernelGroups& groups_;
  ValueTable& values_;
  ValueId op_count_;
  Plan plan_;
  std::vector<BufferIndex> buffers_;  // by root value
  std::vector<bool> kept_;            // by value
  std::vector<bool> is_read_;         // by value of the Program: by the host
  KernelSet<NumberedKernel> kernels_;
  std::unordered_map<std::string, std::uint32_t> texts_;  // of kernels, with their numbers
  std::unordered_map<const void*, ArrayIndex> offsets_;
  std::vector<GroupedStep> steps_;
};

Plan make_launches(const Program& program, const PlanOptions& options) {
  VECC_CHECK(options.target.has_vectors() || value_index_gaps(program).empty(),
             "a Program that a GPU's Plan may have: its indices are no values");
  std::optional<TimedStage> stage("plan: analyze");
  const ProgramAnalysis analysis = analyze(program, options);
  stage.emplace("plan: lower");
  Grouping grouping = lower_program(program, options, analysis);
  stage.emplace("plan: assemble");
  return PlanAssembler(program, options, grouping).assemble();
}

}  // namespace

// What is known of values is gone before buffers are placed.
Plan make_plan(const Program& program, const PlanOptions& options) {
  Plan plan = make_launches(program, options);
  const TimedStage stage("plan: place buffers");
  place_buffers(options, plan);
  return plan;
}

}  // namespace vecc
