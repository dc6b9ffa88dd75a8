#include "backends/cpu/bound_plan.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "src/kernel/kernel_lists.h"
#include "src/support/seconds_since.h"

namespace vecc::cpu {
namespace {

// They are compiled in a second or two, once.
constexpr std::size_t kFewKernels = 64;

}  // namespace

bool is_worth_compiling(const Plan& plan, std::uint64_t runs) {
  if (runs == 0 || plan.kernels.size() <= kFewKernels) return true;
  // A training may go on in another process for another number of runs, to the same bits.
  const auto is_state = [](const PlanBuffer& buffer) {
    return buffer.kind == PlanBuffer::Kind::State;
  };
  if (std::ranges::any_of(plan.buffers, is_state)) return true;
  const ProcessorTimes& times = plan.target.processor;
  double run = 0;
  for (const Launch& launch : plan.launches) {
    run += times.interpreted_launch + times.interpreted_work * static_cast<double>(launch.work);
  }
  const double compiling = times.compiled_kernel * static_cast<double>(plan.kernels.size());
  return run * static_cast<double>(runs) > compiling;
}

BoundPlan::BoundPlan(Plan plan, const TableFiles& files)
    : plan_(std::move(plan)),
      arrays_(plan_),
      arena_(plan_.dtype, plan_.arena_elements),
      blocks_(plan_.buffers.size()) {
  for (BufferIndex b = 0; b < plan_.buffers.size(); ++b) {
    PlanBuffer& buffer = plan_.buffers[b];
    if (buffer.kind == PlanBuffer::Kind::Arena) blocks_[b] = arena_;
    if (buffer.kind != PlanBuffer::Kind::Constant) continue;
    const auto in_file = files.find(table_of(plan_, b));
    if (in_file) {
      blocks_[b] = *in_file;
    } else {
      blocks_[b] = NativeBlock(plan_.dtype, buffer.elements);
      blocks_[b].use_large_pages();
    }
    blocks_[b].write(buffer.values);
    buffer.values = nullptr;
  }
}

Result<std::unique_ptr<BoundPlan>> BoundPlan::make(Plan plan, const TableFiles& files,
                                                   std::uint64_t runs, bool in_batches,
                                                   const LoadOptions& load, CodeCounts* counts) {
  std::unique_ptr<BoundPlan> bound(new BoundPlan(std::move(plan), files));
  bound->in_batches_ = in_batches;
  if (!is_worth_compiling(bound->plan_, runs)) {
    bound->interpret();
    return bound;
  }
  auto loaded = load_kernels(bound->wanted_kernels(in_batches), bound->plan_.target, load, counts);
  if (!loaded && loaded.error().list().front().code == ErrorCode::CompilerAbsent) {
    bound->interpret();
    return bound;
  }
  VECC_TRY(bound->code_, std::move(loaded));
  for (const LoadedKernel& kernel : bound->code_) {
    bound->scratch_bytes_.push_back(kernel.scratch_bytes);
  }
  return bound;
}

// What launches run; a batch's may have an order or none.
std::vector<WantedKernel> BoundPlan::wanted_kernels(bool in_batches) const {
  std::vector<WantedKernel> wanted;
  for (const Kernel& kernel : plan_.kernels) {
    wanted.push_back({&kernel, {false, false, in_batches, in_batches}});
  }
  for (const Launch& launch : plan_.launches) {
    CppVariants& variants = wanted[launch.kernel].variants;
    (is_narrow(launch) ? variants.narrow : variants.wide) = true;
    (launch.order == kNone ? variants.direct : variants.ordered) = true;
  }
  return wanted;
}

bool BoundPlan::is_narrow(const Launch& launch) const {
  return has_lists(plan_.kernels[launch.kernel]) && arrays_.is_narrow(launch);
}

void BoundPlan::interpret() {
  scratch_bytes_.clear();
  for (const Kernel& kernel : plan_.kernels) {
    interpreters_.emplace_back(kernel, plan_.target.tiles);
    scratch_bytes_.push_back(interpreters_.back().scratch_bytes());
  }
}

KernelFunction BoundPlan::function_of(std::uint32_t kernel, bool narrow) const {
  if (is_interpreted()) return interpreters_[kernel].function(narrow);
  const KernelFunction function = narrow ? code_[kernel].narrow : code_[kernel].wide;
  VECC_CHECK(function != nullptr, "a kernel without its function");
  return function;
}

void BoundPlan::bind(std::uint32_t threads) {
  reserve_arguments();
  std::vector<TileOrder> orders = in_batches_ ? std::vector<TileOrder>{} : order_stages(threads);
  std::vector<BoundLaunch> launches;
  launches.reserve(plan_.launches.size());
  for (Launch& launch : plan_.launches) {
    launches.push_back(bind_launch(launch));
    launch.accesses = std::vector<AccessBinding>();  // that nothing reads from here on
  }
  walk_ = TileWalk(std::move(launches), threads);
  for (TileOrder& order : orders) orders_.emplace_back(std::move(order), walk_.launches());
  bind_number_steps();
  plan_.arrays.clear();
  arrays_.drop_unread();
}

void BoundPlan::bind_number_steps() {
  const auto rows_at = [&](const AccessBinding& rows) -> void* {
    return rows.rows == 0 ? nullptr : blocks_[rows.buffer].at(first(rows.buffer) + rows.first);
  };
  for (const NumberStep& step : plan_.number_steps) {
    BoundNumberStep bound;
    bound.from = rows_at(step.from);
    bound.to = rows_at(step.to);
    bound.list = arrays_.filled(step.arrays.list);
    bound.order = arrays_.filled(step.arrays.order);
    bound.ranks = arrays_.filled(step.arrays.ranks);
    if (step.arrays.offsets != kNone) {
      bound.offsets = {arrays_.filled(step.arrays.offsets),
                       plan_.arrays[step.arrays.offsets]->size()};
    }
    bound.scratch = arrays_.filled(step.arrays.scratch);
    bound.row_offsets = arrays_.filled(step.row_offsets);
    if (step.kind == NumberStep::Kind::Offsets) {
      bound.numbered_rows = plan_.arrays[step.row_offsets]->size() - 1;
    }
    number_steps_.push_back(bound);
  }
}

// For several threads in some turns each, so that the last ones, in which some threads have nothing
// left, are a small part.
std::vector<TileOrder> BoundPlan::order_stages(std::uint32_t threads) const {
  constexpr std::uint32_t kTurnsOfThread = 4;
  const TurnSizes sizes{plan_.target.tiles.turn_bytes, threads == 1 ? 2 : kTurnsOfThread * threads};
  std::vector<TileOrder> orders;
  const std::uint32_t stages = plan_.launches.empty() ? 0 : plan_.launches.back().stage + 1;
  for (std::uint32_t stage = 0; stage < stages; ++stage) {
    orders.push_back(order_tiles(plan_, stage, sizes));
  }
  return orders;
}

// So that what launches point to does not move.
void BoundPlan::reserve_arguments() {
  std::size_t accesses = 0;
  std::size_t words = 0;
  for (const Launch& launch : plan_.launches) {
    accesses += launch.accesses.size();
    words += launch.words.size();
  }
  arguments_.data.reserve(accesses);
  arguments_.lists.reserve(accesses);
  arguments_.words.reserve(words);
}

// Whether parameters and states are all that it stores.
bool BoundPlan::only_updates(const Launch& launch) const {
  return std::ranges::all_of(plan_.kernels[launch.kernel].stores, [&](const KernelStore& store) {
    const PlanBuffer& buffer = plan_.buffers[launch.accesses[store.access].buffer];
    return buffer.kind == PlanBuffer::Kind::Parameter || buffer.kind == PlanBuffer::Kind::State;
  });
}

BoundLaunch BoundPlan::bind_launch(const Launch& launch) {
  const bool narrow = is_narrow(launch);
  BoundLaunch bound;
  bound.function = function_of(launch.kernel, narrow);
  auto& [data, lists, all_words] = arguments_;
  bound.arguments = {data.data() + data.size(),
                     lists.data() + lists.size(),
                     all_words.data() + all_words.size(),
                     launch.offsets == kNone ? nullptr : arrays_.words(launch.offsets),
                     launch.order == kNone ? nullptr : arrays_.entries(launch.order, narrow),
                     launch.rows,
                     launch.members,
                     nullptr,
                     is_interpreted() ? &interpreters_[launch.kernel] : nullptr};
  for (const AccessBinding& access : launch.accesses) {
    data.push_back(blocks_[access.buffer].at(first(access.buffer) + access.first));
    lists.push_back(access.list == kNone ? nullptr : arrays_.entries(access.list, narrow));
  }
  for (const ArrayIndex words : launch.words) all_words.push_back(arrays_.words(words));
  bound.scratch_bytes = scratch_bytes_[launch.kernel];
  bound.work = launch.work;
  bound.updates = only_updates(launch);
  bound.tile_count = launch.tiles.size() - 1;
  bound.tiles = launch.tiles.data();
  if (!launch.tile_types.empty()) bound.tile_types = launch.tile_types.data();
  return bound;
}

template <class RunLaunches, class RunStep>
Result<void> BoundPlan::run_parts(std::uint32_t stage, const RunLaunches& run_launches,
                                  const RunStep& run_step) {
  const auto at_stage = [&](std::uint32_t s) {
    return static_cast<std::size_t>(
        std::ranges::lower_bound(plan_.launches, s, {}, &Launch::stage) - plan_.launches.begin());
  };
  std::size_t next = at_stage(stage);
  for (std::size_t s = 0; s < number_steps_.size(); ++s) {
    const NumberStep& step = plan_.number_steps[s];
    if (step.stage != stage) continue;
    if (next < step.before) run_launches(next, std::size_t{step.before});
    next = step.before;
    VECC_TRY_VOID(run_step(s));
  }
  run_launches(next, at_stage(stage + 1));
  return {};
}

Result<void> BoundPlan::run(std::uint32_t stage, ThreadTeam& team) {
  if (stage < orders_.size() && orders_[stage].suits(team.size())) {
    orders_[stage].run(walk_, team);
    return {};
  }
  return run_parts(
      stage, [&](std::size_t first, std::size_t last) { walk_.run(first, last, team); },
      [&](std::size_t s) {
        return run_number_step(plan_.number_steps[s], number_steps_[s], plan_.dtype, team);
      });
}

Result<void> BoundPlan::run_timed(std::uint32_t stage, std::vector<double>& seconds,
                                  ThreadTeam& team) {
  using Clock = std::chrono::steady_clock;
  const std::size_t launches = plan_.launches.size();
  seconds.assign(launches + number_steps_.size(), 0);
  return run_parts(
      stage,
      [&](std::size_t first, std::size_t last) {
        for (std::size_t l = first; l < last; ++l) {
          const auto start = Clock::now();
          walk_.run_launch(l);
          seconds[l] = seconds_since(start);
        }
      },
      [&](std::size_t s) {
        const auto start = Clock::now();
        auto ran = run_number_step(plan_.number_steps[s], number_steps_[s], plan_.dtype, team);
        seconds[launches + s] = seconds_since(start);
        return ran;
      });
}

std::uint64_t BoundPlan::bytes() const {
  std::uint64_t bytes = arena_.bytes() + arrays_.bytes() + walk_.bytes();
  for (BufferIndex b = 0; b < blocks_.size(); ++b) {
    if (plan_.buffers[b].kind == PlanBuffer::Kind::Constant) bytes += blocks_[b].bytes();
  }
  return bytes;
}

}  // namespace vecc::cpu
